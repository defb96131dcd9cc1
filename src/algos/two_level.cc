// On two levels, the ranks of a node first combine among themselves, then the nodes among one another. Each of the
// leaders of a node owns a share of the vector: it takes that share from the other ranks of its node, combines it with
// the leaders of the same share on other nodes, and hands it back. It may do so chunk by chunk: while one chunk goes
// among the nodes the next is combined within them, and the one before is handed back. Where the ranks of each node
// share memory only what goes between nodes is messages; there the first chunk is handed back when the last is
// combined. With the table sorted by arrival the node of the latest rank is the last, so that a chain between the nodes
// (slt) has all but that node's part ready when this rank comes.
#include <algorithm>
#include <cmath>
#include <optional>

#include "algos/row.h"
#include "algos/topology.h"
#include "schedule/partition.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

enum Parameters : std::size_t { kInner, kLeaders, kWindowOf, kPacingOf, kMemory, kChunks };

std::int32_t leadersPerNode(const NodeMembers& nodes, const ParameterValues& parameters) {
  std::size_t fewest = nodes.front().size();
  for (const auto& members : nodes) fewest = std::min(fewest, members.size());
  const std::int64_t wanted = parameters[kLeaders];
  return static_cast<std::int32_t>(wanted == 0 ? fewest : std::min<std::size_t>(wanted, fewest));
}

Shape innerShape(const NodeMembers& nodes, std::int64_t count) {
  return {.ranks = static_cast<std::int32_t>(nodes.size()), .count = count};
}

// Returns how many elements the chunks of all shares have, but for the last ones. The first share is the longest.
std::int64_t elementsOfChunk(const NodeMembers& nodes, const Shape& shape, const ParameterValues& parameters) {
  const Block share = partOf({0, shape.count}, leadersPerNode(nodes, parameters), 0);
  return std::max<std::int64_t>((share.count + parameters[kChunks] - 1) / parameters[kChunks], 1);
}

// A chain has four segments for each node, which go through it one after the other: of long vectors the bytes then take
// a quarter more than one pass over the vector, however many nodes there are, and short ones have few messages.
constexpr std::int64_t kSegmentsForEachNode = 4;
constexpr std::int64_t kMostSegments = 1024;

ParameterValues innerParameters(const Algorithm& inner, const NodeMembers& nodes, std::int64_t chunks) {
  ParameterValues values = defaultParameters(inner);
  const std::optional<std::size_t> segments = findParameter(inner, kSegmentsParameter);
  if (segments && values[*segments] == 0) {
    const std::int64_t of_share = std::min(kSegmentsForEachNode * std::ssize(nodes), kMostSegments);
    values[*segments] = std::max<std::int64_t>(of_share / chunks, 1);
  }
  return values;
}

bool twoLevelChainsNodes(const ParameterValues& parameters) {
  const Algorithm& inner = *findAlgorithm(static_cast<std::int32_t>(parameters[kInner]));
  return inner.chains_ranks != nullptr && inner.chains_ranks(defaultParameters(inner));
}

// Counts the steps of the nodes' own allreduce of one chunk.
std::int64_t innerSteps(const NodeMembers& nodes, const Shape& shape, const ParameterValues& parameters) {
  const Algorithm& inner = *findAlgorithm(static_cast<std::int32_t>(parameters[kInner]));
  return inner.max_steps(innerShape(nodes, elementsOfChunk(nodes, shape, parameters)),
                         innerParameters(inner, nodes, parameters[kChunks]));
}

std::int64_t twoLevelStepsOn(const NodeMembers& nodes, const Shape& shape, const ParameterValues& parameters) {
  std::size_t most = 0;
  for (const auto& members : nodes) most = std::max(most, members.size());
  const std::int64_t within = leadersPerNode(nodes, parameters) + static_cast<std::int64_t>(most) - 1;
  return parameters[kChunks] * (2 * within + innerSteps(nodes, shape, parameters));
}

std::int64_t twoLevelSteps(const Shape& shape, const ParameterValues& parameters) {
  return twoLevelStepsOn(ranksOfNodes(shape.topology, shape.ranks, shape.table, shape.memory), shape, parameters);
}

// Counts the lists of nodes, and schedules of the inner algorithm: one for its tags and one for each chunk, of which
// there is one at a time. It counts two, since memory that is given back may not be joined.
std::int64_t twoLevelWorkBytes(const Shape& shape, const ParameterValues& parameters) {
  const NodeMembers nodes = ranksOfNodes(shape.topology, shape.ranks, shape.table, shape.memory);
  constexpr std::int64_t kBytesPerRank = 16;
  constexpr std::int64_t kBytesPerNode = 160;
  return shape.ranks * kBytesPerRank + std::ssize(nodes) * kBytesPerNode +
         leadersPerNode(nodes, parameters) * std::int64_t{sizeof(OwnedBlock)} +
         2 * ScheduleWriter::bytesFor(innerSteps(nodes, shape, parameters), 0);
}

// Chunks that save less than this part of a call are not worth the work of more messages.
constexpr double kLeastGain = 0.05;
constexpr double kMostBestChunks = 16.0;
constexpr std::int64_t kRecursiveDoubling = 1;  // of the parameter `inner`, as is the next
constexpr std::int64_t kChain = 5;

// Of the shorter one of what goes through the port of a node, and of what goes through its memory, all is hidden but
// one chunk's; each chunk adds the latencies of one allreduce among the nodes. Where ranks share cores, messages take
// these from what is combined, so that nothing is hidden. Fewer leaders than ranks are for short vectors.
double bestTwoLevelChunks(const Shape& shape, const ParameterValues& parameters, double transfers, double copies) {
  const NodeMembers members = ranksOfNodes(shape.topology, shape.ranks, shape.table, shape.memory);
  const auto nodes = static_cast<double>(members.size());
  if (parameters[kMemory] == 0 || parameters[kLeaders] != 0 || nodes < 2.0 || !shape.topology->gives_cores) return 1.0;
  const bool is_doubling = parameters[kInner] == kRecursiveDoubling;
  const double passes = is_doubling ? std::log2(nodes) : 2.0 * (1.0 - 1.0 / nodes);
  // Latencies of a chain, whose segments follow each other anyway, hide one another.
  const double rounds = is_doubling ? passes : (parameters[kInner] == kChain ? 0.5 : 2.0) * (nodes - 1.0);
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

class TwoLevel {
 public:
  explicit TwoLevel(const BuildRequest& request)
      : request_(request),
        rank_(request.virtual_rank),
        nodes_(ranksOfNodes(request.shape.topology, request.shape.ranks, request.shape.table, request.memory)),
        leaders_(leadersPerNode(nodes_, request.parameters)),
        chunk_(elementsOfChunk(nodes_, request.shape, request.parameters)),
        chunks_(static_cast<std::int32_t>((shareOf(0).count + chunk_ - 1) / chunk_)),
        // The first chunk is the longest, and takes most tags.
        inner_tags_(innerOf(0, {0, chunk_}).tag_span),
        writer_(request.seat(), chunks_ * (leaders_ + inner_tags_),
                request.room(twoLevelStepsOn(nodes_, request.shape, request.parameters))) {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      const auto place = std::find(nodes_[node].begin(), nodes_[node].end(), rank_);
      if (place == nodes_[node].end()) continue;
      node_ = static_cast<std::int32_t>(node);
      local_ = static_cast<std::int32_t>(place - nodes_[node].begin());
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

  // Builds a node's part of the nodes' own allreduce of one chunk, over node numbers.
  Schedule innerOf(std::int32_t node, const Block& chunk) const {
    const Algorithm& inner = *findAlgorithm(static_cast<std::int32_t>(request_.parameters[kInner]));
    BuildRequest request;
    request.memory = request_.memory;
    request.shape = innerShape(nodes_, chunk.count);
    request.virtual_rank = node;
    request.parameters = innerParameters(inner, nodes_, request_.parameters[kChunks]);
    // Of these algorithms a chain alone depends on it, and only on whether somebody is late.
    request.lateness_ns = relevantLateness(inner, request_.lateness_ns);
    return buildSchedule(inner, request);
  }

  void combineAcrossNodes(std::int32_t chunk) {
    if (local_ >= leaders_) return;
    const Block whole = chunkOf(local_, chunk);
    if (whole.count == 0) return;
    const Schedule inner = innerOf(node_, whole);
    for (const Step& step : inner.steps) {
      const std::int32_t peer = nodes_[step.peer][local_];
      const Block block{whole.offset + step.block.offset, step.block.count};
      const std::int32_t tag = chunks_ * leaders_ + chunk * inner_tags_ + step.tag;
      if (step.kind == StepKind::kSend) writer_.send(block, peer, tag, step.lane);
      if (step.kind == StepKind::kReceive) writer_.receive(block, peer, tag, step.lane);
      if (step.kind == StepKind::kReduce) writer_.reduce(block, peer, step.order, tag, step.lane);
    }
  }

  const BuildRequest& request_;
  std::int32_t rank_;
  NodeMembers nodes_;        // ranks
  std::int32_t leaders_;     // of each node
  std::int64_t chunk_;       // elements
  std::int32_t chunks_;      // of the longest share
  std::int32_t inner_tags_;  // of one chunk
  ScheduleWriter writer_;
  std::int32_t node_ = 0;
  std::int32_t local_ = 0;  // this rank's place in its node
};

Schedule buildTwoLevel(const BuildRequest& request) { return TwoLevel(request).build(); }

constexpr std::int64_t kInnerWorthTrying[] = {5, 1, 2};
constexpr std::int64_t kLeadersWorthTrying[] = {1};
constexpr Parameter kTwoLevelParameters[] = {
    {"inner", 1, 5, 3, "",
     "among the nodes: 1 = recursive_doubling, 2 = rabenseifner, 3 = ring, 4 = ring_segmented, 5 = slt",
     kInnerWorthTrying},
    {"leaders", 0, 64, 0, "", "ranks of each node that own a share; 0 = as many as the smallest node has",
     kLeadersWorthTrying},
    kWindow,
    kPacing,
    {kMemoryParameter, 0, 1, 1, "", "1 = through memory within a node, where its ranks share it; 0 = by messages"},
    {kChunksParameter, 1, 64, 1, "", "parts of a share, of which one goes among the nodes while the next is combined"}};

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
    .work_bytes = twoLevelWorkBytes,
    .best_chunks = bestTwoLevelChunks,
    .valid_text = kAnyShape,
    .cost =
        "q ranks on each of N nodes: 2 (q - 1) a + 2 n b' (q-1)/q within a node, b' of its memory, and the inner "
        "algorithm's cost for n/q bytes on N ranks; in c chunks the shorter of the two is hidden but for 1/c, and "
        "messages are c times as many",
    .source = "the usual hierarchy, as in Open MPI's han; shares for all ranks of a node: own",
    .openmpi_nearest = "ignore"};

}  // namespace starling
