// On two levels, the ranks of a node first combine among themselves, then the nodes among one another. Each of the
// leaders of a node owns a share of the vector: it takes that share from the other ranks of its node, combines it with
// the leaders of the same share on other nodes, and hands it back. It may do so chunk by chunk: while one chunk goes
// among the nodes the next is combined within them, and the one before is handed back. Where the ranks of each node
// share memory only what goes between nodes is messages; there the first chunk is handed back when the last is
// combined. With the table sorted by arrival the node of the latest rank is the last, so that a chain between the nodes
// (slt), or a late join, has all but that node's part ready when this rank comes.
#include <algorithm>
#include <cmath>
#include <optional>

#include "algos/build_notes.h"
#include "algos/row.h"
#include "algos/topology.h"
#include "schedule/partition.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

enum Parameters : std::size_t { kInner, kLeaders, kWindowOf, kPacingOf, kMemory, kChunks, kSegments };

// The rows that may run between the nodes, by id: that of value 1 of the parameter `inner`, of 2, and so on.
constexpr std::int32_t kInnerRows[] = {1, 2, 3, 4, 5, 8};
constexpr std::int64_t kRecursiveDoubling = 1;  // of the parameter

const Algorithm& innerOf(const ParameterValues& parameters) {
  return *findAlgorithm(kInnerRows[parameters[kInner] - 1]);
}

NodeSizes sizesOfNodes(const Shape& shape) {
  return shape.node_sizes != nullptr ? *shape.node_sizes : sizesOfNodes(shape.topology, shape.ranks, shape.memory);
}

std::int32_t leadersPerNode(const NodeSizes& sizes, const ParameterValues& parameters) {
  const std::int64_t wanted = parameters[kLeaders];
  return wanted == 0 ? sizes.fewest : static_cast<std::int32_t>(std::min<std::int64_t>(wanted, sizes.fewest));
}

Shape innerShape(const NodeSizes& sizes, std::int64_t count) { return {.ranks = sizes.nodes, .count = count}; }

// Returns how many elements the chunks of all shares have, but for the last ones. The first share is the longest.
std::int64_t elementsOfChunk(const NodeSizes& sizes, const Shape& shape, const ParameterValues& parameters) {
  const Block share = partOf({0, shape.count}, leadersPerNode(sizes, parameters), 0);
  return std::max<std::int64_t>((share.count + parameters[kChunks] - 1) / parameters[kChunks], 1);
}

// Where nothing is said of the segments that go through the nodes one after the other, there are four for each node: of
// long vectors the bytes then take a quarter more than one pass over the vector, however many nodes there are, and
// short ones have few messages.
constexpr std::int64_t kSegmentsForEachNode = 4;
constexpr std::int64_t kMostSegments = 1024;

// Segments of a chunk are as many times fewer as it is shorter than the share.
ParameterValues innerParameters(const NodeSizes& sizes, const ParameterValues& parameters) {
  const Algorithm& inner = innerOf(parameters);
  ParameterValues values = defaultParameters(inner);
  if (inner.best_segments == nullptr) return values;
  const std::int64_t usual = std::min(kSegmentsForEachNode * sizes.nodes, kMostSegments);
  const std::int64_t of_share = parameters[kSegments] == 0 ? usual : parameters[kSegments];
  values[*findParameter(inner, kSegmentsParameter)] = std::max<std::int64_t>(of_share / parameters[kChunks], 1);
  return values;
}

// The leaders of a node share its port: each one's segments, of a part of the vector, take as long as if they were of
// the whole.
std::optional<double> bestTwoLevelSegments(const Shape& shape, const ParameterValues& parameters, double transfers) {
  const Algorithm& inner = innerOf(parameters);
  if (inner.best_segments == nullptr) return std::nullopt;
  return inner.best_segments(innerShape(sizesOfNodes(shape), shape.count), defaultParameters(inner), transfers);
}

bool twoLevelChainsNodes(const ParameterValues& parameters) {
  const Algorithm& inner = innerOf(parameters);
  return inner.chains_ranks != nullptr && inner.chains_ranks(defaultParameters(inner));
}

bool twoLevelKeepsInStep(const ParameterValues& parameters) {
  const Algorithm& inner = innerOf(parameters);
  return inner.keeps_in_step != nullptr && inner.keeps_in_step(defaultParameters(inner));
}

// Counts the steps of the nodes' own allreduce of one chunk.
std::int64_t innerSteps(const NodeSizes& sizes, const Shape& shape, const ParameterValues& parameters) {
  return innerOf(parameters)
      .max_steps(innerShape(sizes, elementsOfChunk(sizes, shape, parameters)), innerParameters(sizes, parameters));
}

std::int64_t stepsOn(const NodeSizes& sizes, const Shape& shape, const ParameterValues& parameters) {
  const std::int64_t within = leadersPerNode(sizes, parameters) + sizes.most - 1;
  return parameters[kChunks] * (2 * within + innerSteps(sizes, shape, parameters));
}

std::int64_t twoLevelSteps(const Shape& shape, const ParameterValues& parameters) {
  return stepsOn(sizesOfNodes(shape), shape, parameters);
}

// Counts the lists of nodes, and schedules of the inner algorithm: those of the longest chunk and of a shorter one.
std::int64_t twoLevelWorkBytes(const Shape& shape, const ParameterValues& parameters) {
  const NodeSizes sizes = sizesOfNodes(shape);
  constexpr std::int64_t kBytesPerRank = 16;
  constexpr std::int64_t kBytesPerNode = 160;
  const Algorithm& inner = innerOf(parameters);
  const Shape inner_shape = innerShape(sizes, elementsOfChunk(sizes, shape, parameters));
  const std::int64_t inner_work =
      inner.work_bytes == nullptr ? 0 : inner.work_bytes(inner_shape, innerParameters(sizes, parameters));
  return shape.ranks * kBytesPerRank + sizes.nodes * kBytesPerNode +
         leadersPerNode(sizes, parameters) * std::int64_t{sizeof(OwnedBlock)} +
         2 * (inner_work + ScheduleWriter::bytesFor(innerSteps(sizes, shape, parameters), 0));
}

// Chunks that save less than this part of a call are not worth the work of more messages.
constexpr double kLeastGain = 0.05;
constexpr double kMostBestChunks = 16.0;

// Of the shorter one of what goes through the port of a node, and of what goes through its memory, all is hidden but
// one chunk's; each chunk adds the latencies of one allreduce among the nodes. Where ranks share cores, messages take
// these from what is combined, so that nothing is hidden. Fewer leaders than ranks are for short vectors, and nodes in
// step wait for each other in each chunk.
double bestTwoLevelChunks(const Shape& shape, const ParameterValues& parameters, double transfers, double copies) {
  const double nodes = sizesOfNodes(shape).nodes;
  if (parameters[kMemory] == 0 || parameters[kLeaders] != 0 || nodes < 2.0 || !shape.topology->gives_cores ||
      twoLevelKeepsInStep(parameters)) {
    return 1.0;
  }
  const Algorithm& inner = innerOf(parameters);
  const bool is_doubling = parameters[kInner] == kRecursiveDoubling;
  const double passes = is_doubling ? std::log2(nodes) : 2.0 * (1.0 - 1.0 / nodes);
  // Latencies of segments, which follow each other anyway, hide one another.
  const double rounds = is_doubling ? passes : (inner.best_segments != nullptr ? 0.5 : 2.0) * (nodes - 1.0);
  const double wire = transfers * passes;
  const double of_node = static_cast<double>(shape.ranks) / nodes;
  const double memory = copies * (1.0 - 1.0 / of_node);
  const double hidden = std::min(wire, memory);
  // Powers of two, so that a model that changes a little seldom changes anything.
  const double power = std::round(0.5 * std::log2(std::max(2.0 * hidden / rounds, 1.0)));
  const double chunks = std::min(std::exp2(power), kMostBestChunks);
  const double gain = hidden * (1.0 - 1.0 / chunks) - (chunks - 1.0) * rounds;
  return gain >= kLeastGain * (wire + memory + rounds) ? chunks : 1.0;
}

// A rank's place among the nodes.
struct Place {
  std::int32_t node = 0;
  std::int32_t local = 0;  // within its node
};

Place placeOf(std::int32_t rank, const NodeMembers& nodes) {
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const auto place = std::find(nodes[node].begin(), nodes[node].end(), rank);
    if (place == nodes[node].end()) continue;
    return {static_cast<std::int32_t>(node), static_cast<std::int32_t>(place - nodes[node].begin())};
  }
  return {};
}

const NodeMembers& nodesOf(const BuildRequest& request) {
  NodeMembers& nodes = request.notes->nodes;
  if (nodes.empty()) {
    nodes = ranksOfNodes(request.shape.topology, request.shape.ranks, request.shape.table,
                         nodes.get_allocator().resource());
  }
  return nodes;
}

NodeSizes sizesOf(const NodeMembers& nodes) {
  NodeSizes sizes{static_cast<std::int32_t>(nodes.size()), static_cast<std::int32_t>(nodes.front().size()), 0};
  for (const auto& members : nodes) {
    sizes.fewest = std::min(sizes.fewest, static_cast<std::int32_t>(members.size()));
    sizes.most = std::max(sizes.most, static_cast<std::int32_t>(members.size()));
  }
  return sizes;
}

class TwoLevel {
 public:
  explicit TwoLevel(const BuildRequest& request)
      : request_(request),
        rank_(request.virtual_rank),
        nodes_(nodesOf(request)),
        sizes_(sizesOf(nodes_)),
        leaders_(leadersPerNode(sizes_, request.parameters)),
        chunk_(elementsOfChunk(sizes_, request.shape, request.parameters)),
        chunks_(static_cast<std::int32_t>((shareOf(0).count + chunk_ - 1) / chunk_)),
        node_(placeOf(rank_, nodes_).node),
        local_(placeOf(rank_, nodes_).local),
        longest_(betweenNodes(chunk_)),
        writer_(request.seat(), chunks_ * (leaders_ + longest_.tag_span),
                request.room(stepsOn(sizes_, request.shape, request.parameters))) {
    // In step with each other, ranks take in one message at a time.
    for (std::uint8_t lane = 0; lane < kMaxLanes; ++lane) {
      if (!longest_.synchronous[lane]) continue;
      writer_.keepInStep(lane);
      writer_.setLaneWindow(lane, longest_.window);
    }
  }

  Schedule build() && {
    if (request_.nodes_share_memory && request_.parameters[kMemory] != 0) {
      writer_.reserveShares(leaders_);
      for (std::int32_t i = 0; i < leaders_; ++i) writer_.addShare(members()[i], shareOf(i));
      writer_.setShareChunk(chunk_);
      for (std::int32_t chunk = 0; chunk < chunks_; ++chunk) combineAcrossNodes(chunk);
      return std::move(writer_).finish();
    }
    for (std::int32_t turn = 0; turn < chunks_ + 2; ++turn) {
      // Every rank begins with another leader, so that not all meet at one.
      for (std::int32_t i = 0; i < leaders_; ++i) collect((local_ + i) % leaders_, turn);
      combineAcrossNodes(turn - 1);
      for (std::int32_t i = 0; i < leaders_; ++i) handBack((local_ + i) % leaders_, turn - 2);
    }
    return std::move(writer_).finish();
  }

 private:
  Block shareOf(std::int32_t leader) const { return partOf({0, request_.shape.count}, leaders_, leader); }
  // Returns an empty block where there is no such chunk.
  Block chunkOf(std::int32_t leader, std::int32_t chunk) const {
    const Block share = shareOf(leader);
    const std::int64_t begin = chunk < 0 ? share.count : std::min(chunk * chunk_, share.count);
    return {share.offset + begin, std::min(chunk_, share.count - begin)};
  }
  const std::pmr::vector<std::int32_t>& members() const { return nodes_[node_]; }

  void collect(std::int32_t leader, std::int32_t chunk) {
    const Block block = chunkOf(leader, chunk);
    const std::int32_t tag = chunk * leaders_ + leader;
    if (leader != local_) return writer_.send(block, members()[leader], tag, kReduceLane);
    for (const std::int32_t member : members()) {
      if (member != rank_) writer_.reduce(block, member, OperandOrder::kIncomingRight, tag, kReduceLane);
    }
  }

  void handBack(std::int32_t leader, std::int32_t chunk) {
    const Block block = chunkOf(leader, chunk);
    const std::int32_t tag = chunk * leaders_ + leader;
    if (leader != local_) return writer_.receive(block, members()[leader], tag, kDistributeLane);
    for (const std::int32_t member : members()) {
      if (member != rank_) writer_.send(block, member, tag, kDistributeLane);
    }
  }

  // Returns the node's part of the nodes' own allreduce of a chunk of so many elements, over node numbers.
  const Schedule& betweenNodes(std::int64_t elements) const {
    auto& known = request_.notes->between_nodes;
    const auto found = known.find({node_, elements});
    if (found != known.end()) return found->second;
    const Algorithm& inner = innerOf(request_.parameters);
    BuildRequest request;
    request.memory = known.get_allocator().resource();
    request.notes = request_.notes;
    request.shape = innerShape(sizes_, elements);
    request.virtual_rank = node_;
    request.parameters = innerParameters(sizes_, request_.parameters);
    // Of these algorithms a chain alone depends on it, and only on whether somebody is late.
    request.lateness_ns = relevantLateness(inner, request_.lateness_ns);
    return known.emplace(std::pair(node_, elements), buildSchedule(inner, request)).first->second;
  }

  void combineAcrossNodes(std::int32_t chunk) {
    if (local_ >= leaders_) return;
    const Block whole = chunkOf(local_, chunk);
    if (whole.count > 0) combine(betweenNodes(whole.count), whole, chunk);
  }

  void combine(const Schedule& inner, const Block& whole, std::int32_t chunk) {
    for (const Step& step : inner.steps) {
      const std::int32_t peer = nodes_[step.peer][local_];
      const Block block{whole.offset + step.block.offset, step.block.count};
      const std::int32_t tag = chunks_ * leaders_ + chunk * longest_.tag_span + step.tag;
      if (step.kind == StepKind::kSend) writer_.send(block, peer, tag, step.lane);
      if (step.kind == StepKind::kReceive) writer_.receive(block, peer, tag, step.lane);
      if (step.kind == StepKind::kReduce) writer_.reduce(block, peer, step.order, tag, step.lane);
    }
  }

  const BuildRequest& request_;
  std::int32_t rank_;
  const NodeMembers& nodes_;  // ranks
  NodeSizes sizes_;
  std::int32_t leaders_;  // of each node
  std::int64_t chunk_;    // elements
  std::int32_t chunks_;   // of the longest share
  std::int32_t node_;
  std::int32_t local_;  // this rank's place in its node
  // Between the nodes, for the longest chunk, which takes the most tags: these, and what else is alike on all ranks,
  // are those of all chunks.
  const Schedule& longest_;
  ScheduleWriter writer_;
};

Schedule buildTwoLevel(const BuildRequest& request) { return TwoLevel(request).build(); }

constexpr std::int64_t kInnerWorthTrying[] = {5, 1, 2};
constexpr std::int64_t kInnerForLateRanks[] = {6};
constexpr std::int64_t kLeadersWorthTrying[] = {1};
constexpr Parameter kTwoLevelParameters[] = {
    {"inner", 1, std::ssize(kInnerRows), 3, "",
     "among the nodes: 1 = recursive_doubling, 2 = rabenseifner, 3 = ring, 4 = ring_segmented, 5 = slt, 6 = late_join",
     kInnerWorthTrying, "", kInnerForLateRanks},
    {"leaders", 0, 64, 0, "", "ranks of each node that own a share; 0 = as many as the smallest node has",
     kLeadersWorthTrying},
    {"window", 1, 64, 4, "", "receives posted ahead, per lane; one at a time where sends keep in step (inner=6)"},
    kPacing,
    {kMemoryParameter, 0, 1, 1, "", "1 = through memory within a node, where its ranks share it; 0 = by messages"},
    {kChunksParameter, 1, 64, 1, "", "parts of a share, of which one goes among the nodes while the next is combined"},
    {"segments", 0, 8192, 0, "",
     "parts of a share that follow each other among the nodes, for inner=5 and 6; best: as theirs; 0 = four per node, "
     "at most 1024"}};

}  // namespace

constexpr Algorithm kTwoLevelRow{
    .id = 13,
    .name = "two_level",
    .what =
        "combines shares of the vector within each node first, then among the nodes, and hands the results back within "
        "the nodes; in several chunks, of which one is combined while another one is on its way.",
    .trade_off =
        "ranks of a node combine first, through memory where they share it, so that few messages leave it; needs "
        "several ranks per node, else it is its inner algorithm",
    .parameters = kTwoLevelParameters,
    .keeps_rank_order = false,
    .uses_arrivals = true,
    .uses_only_any_late = true,
    .suits_topology = sharesNodes,
    .chains_ranks = twoLevelChainsNodes,
    .takes_turns_in_nodes = true,
    .build = buildTwoLevel,
    .max_steps = twoLevelSteps,
    .keeps_in_step = twoLevelKeepsInStep,
    .work_bytes = twoLevelWorkBytes,
    .best_segments = bestTwoLevelSegments,
    .best_chunks = bestTwoLevelChunks,
    .valid_text = kAnyShape,
    .cost =
        "q ranks on each of N nodes: 2 (q - 1) a + 2 n b' (q-1)/q within a node, b' of its memory, and the inner "
        "algorithm's cost for n/q bytes on N ranks; in c chunks the shorter of the two is hidden but for 1/c, and "
        "messages are c times as many",
    .source = "the usual hierarchy, as in Open MPI's han; shares for all ranks of a node: own",
    .openmpi_nearest = "ignore"};

}  // namespace starling
