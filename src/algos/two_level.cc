// On two levels, the ranks of a node first combine among themselves, then the nodes among one another. Each of the
// leaders of a node owns a share of the vector: it takes that share from the other ranks of its node, combines it with
// the leaders of the same share on other nodes, and hands it back. Where the ranks of each node share memory only what
// goes between nodes is messages. With the table sorted by arrival the node of the latest rank is the last, so that a
// chain between the nodes (slt) has all but that node's part ready when this rank comes.
#include <algorithm>
#include <optional>

#include "algos/row.h"
#include "algos/topology.h"
#include "schedule/partition.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

enum Parameters : std::size_t { kInner, kLeaders, kWindowOf, kPacingOf, kMemory };

std::int32_t leadersPerNode(const NodeMembers& nodes, const ParameterValues& parameters) {
  std::size_t fewest = nodes.front().size();
  for (const auto& members : nodes) fewest = std::min(fewest, members.size());
  const std::int64_t wanted = parameters[kLeaders];
  return static_cast<std::int32_t>(wanted == 0 ? fewest : std::min<std::size_t>(wanted, fewest));
}

Shape innerShape(const NodeMembers& nodes, std::int64_t count) {
  return {.ranks = static_cast<std::int32_t>(nodes.size()), .count = count};
}

// A chain has four segments for each node, which go through it one after the other: of long vectors the bytes then take
// a quarter more than one pass over the vector, however many nodes there are, and short ones have few messages.
constexpr std::int64_t kSegmentsForEachNode = 4;
constexpr std::int64_t kMostSegments = 1024;

ParameterValues innerParameters(const Algorithm& inner, const NodeMembers& nodes) {
  ParameterValues values = defaultParameters(inner);
  const std::optional<std::size_t> segments = findParameter(inner, kSegmentsParameter);
  if (segments && values[*segments] == 0) {
    values[*segments] = std::min(kSegmentsForEachNode * std::ssize(nodes), kMostSegments);
  }
  return values;
}

bool twoLevelChainsNodes(const ParameterValues& parameters) {
  const Algorithm& inner = *findAlgorithm(static_cast<std::int32_t>(parameters[kInner]));
  return inner.chains_ranks != nullptr && inner.chains_ranks(defaultParameters(inner));
}

// Counts the steps of the nodes' own allreduce of the longest share.
std::int64_t innerSteps(const NodeMembers& nodes, const Shape& shape, const ParameterValues& parameters) {
  const Algorithm& inner = *findAlgorithm(static_cast<std::int32_t>(parameters[kInner]));
  const Block share = partOf({0, shape.count}, leadersPerNode(nodes, parameters), 0);
  return inner.max_steps(innerShape(nodes, share.count), innerParameters(inner, nodes));
}

std::int64_t twoLevelStepsOn(const NodeMembers& nodes, const Shape& shape, const ParameterValues& parameters) {
  std::size_t most = 0;
  for (const auto& members : nodes) most = std::max(most, members.size());
  const std::int64_t within = leadersPerNode(nodes, parameters) + static_cast<std::int64_t>(most) - 1;
  return 2 * within + innerSteps(nodes, shape, parameters);
}

std::int64_t twoLevelSteps(const Shape& shape, const ParameterValues& parameters) {
  return twoLevelStepsOn(ranksOfNodes(shape.topology, shape.ranks, shape.table, shape.memory), shape, parameters);
}

// Counts the lists of nodes, and the schedule of the inner algorithm, which is made twice: of one the tags count.
std::int64_t twoLevelWorkBytes(const Shape& shape, const ParameterValues& parameters) {
  const NodeMembers nodes = ranksOfNodes(shape.topology, shape.ranks, shape.table, shape.memory);
  constexpr std::int64_t kBytesPerRank = 16;
  constexpr std::int64_t kBytesPerNode = 160;
  return shape.ranks * kBytesPerRank + std::ssize(nodes) * kBytesPerNode +
         leadersPerNode(nodes, parameters) * std::int64_t{sizeof(OwnedBlock)} +
         2 * ScheduleWriter::bytesFor(innerSteps(nodes, shape, parameters), 0);
}

class TwoLevel {
 public:
  explicit TwoLevel(const BuildRequest& request)
      : request_(request),
        rank_(request.virtual_rank),
        nodes_(ranksOfNodes(request.shape.topology, request.shape.ranks, request.shape.table, request.memory)),
        leaders_(leadersPerNode(nodes_, request.parameters)),
        // The first share is the longest, and takes most tags.
        writer_(request.seat(), leaders_ + innerOf(0, shareOf(0)).tag_span,
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
      if (local_ < leaders_) combineAcrossNodes();
      return std::move(writer_).finish();
    }
    // Every rank begins with another leader, so that not all meet at one.
    for (std::int32_t i = 0; i < leaders_; ++i) collect((local_ + i) % leaders_);
    if (local_ < leaders_) combineAcrossNodes();
    for (std::int32_t i = 0; i < leaders_; ++i) handBack((local_ + i) % leaders_);
    return std::move(writer_).finish();
  }

 private:
  Block shareOf(std::int32_t leader) const { return partOf({0, request_.shape.count}, leaders_, leader); }
  const std::pmr::vector<std::int32_t>& members() const { return nodes_[node_]; }

  void collect(std::int32_t leader) {
    if (leader != local_) return writer_.send(shareOf(leader), members()[leader], leader, kReduceLane);
    for (const std::int32_t member : members()) {
      if (member != rank_) writer_.reduce(shareOf(leader), member, OperandOrder::kIncomingRight, leader, kReduceLane);
    }
  }

  void handBack(std::int32_t leader) {
    if (leader != local_) return writer_.receive(shareOf(leader), members()[leader], leader, kDistributeLane);
    for (const std::int32_t member : members()) {
      if (member != rank_) writer_.send(shareOf(leader), member, leader, kDistributeLane);
    }
  }

  // Builds a node's part of the nodes' own allreduce of one share, over node numbers.
  Schedule innerOf(std::int32_t node, const Block& share) const {
    const Algorithm& inner = *findAlgorithm(static_cast<std::int32_t>(request_.parameters[kInner]));
    BuildRequest request;
    request.memory = request_.memory;
    request.shape = innerShape(nodes_, share.count);
    request.virtual_rank = node;
    request.parameters = innerParameters(inner, nodes_);
    // Of these algorithms a chain alone depends on it, and only on whether somebody is late.
    request.lateness_ns = relevantLateness(inner, request_.lateness_ns);
    return buildSchedule(inner, request);
  }

  void combineAcrossNodes() {
    const Schedule inner = innerOf(node_, shareOf(local_));
    for (const Step& step : inner.steps) {
      const std::int32_t peer = nodes_[step.peer][local_];
      const Block block{shareOf(local_).offset + step.block.offset, step.block.count};
      const std::int32_t tag = leaders_ + step.tag;
      if (step.kind == StepKind::kSend) writer_.send(block, peer, tag, step.lane);
      if (step.kind == StepKind::kReceive) writer_.receive(block, peer, tag, step.lane);
      if (step.kind == StepKind::kReduce) writer_.reduce(block, peer, step.order, tag, step.lane);
    }
  }

  const BuildRequest& request_;
  std::int32_t rank_;
  NodeMembers nodes_;     // ranks
  std::int32_t leaders_;  // of each node
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
    {kMemoryParameter, 0, 1, 1, "", "1 = through memory within a node, where its ranks share it; 0 = by messages"}};

}  // namespace

constexpr Algorithm kTwoLevelRow{
    .id = 13,
    .name = "two_level",
    .what =
        "combines shares of the vector within each node first, then among the nodes, and hands the results back within "
        "the nodes.",
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
    .valid_text = kAnyShape,
    .cost =
        "q ranks on each of N nodes: 2 (q - 1) a + 2 n b' (q-1)/q within a node, b' of its memory, and the inner "
        "algorithm's cost for n/q bytes on N ranks",
    .source = "the usual hierarchy, as in Open MPI's han; shares for all ranks of a node: own",
    .openmpi_nearest = "ignore"};

}  // namespace starling
