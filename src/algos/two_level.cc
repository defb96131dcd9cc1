// Two levels: the ranks of a node first combine among themselves, then the nodes among one another. Each of the leaders
// of a node owns a share of the vector: it takes that share from the other ranks of its node, combines it with the
// leaders of the same share on other nodes, and hands it back.
#include <algorithm>

#include "algos/builders.h"
#include "algos/partition.h"
#include "algos/schedule_writer.h"
#include "algos/topology.h"

namespace starling {
namespace {

enum Parameters : std::size_t { kInner, kLeaders };

class TwoLevel {
 public:
  explicit TwoLevel(const BuildRequest& request)
      : request_(request),
        rank_(request.virtual_rank),
        nodes_(ranksOfNodes(request.shape.topology, request.shape.ranks)),
        leaders_(leadersPerNode()),
        writer_(request, leaders_ + innerOf(0, 0).tag_span) {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      const auto place = std::find(nodes_[node].begin(), nodes_[node].end(), rank_);
      if (place == nodes_[node].end()) continue;
      node_ = static_cast<std::int32_t>(node);
      local_ = static_cast<std::int32_t>(place - nodes_[node].begin());
    }
  }

  Schedule build() && {
    // Every rank begins with another leader, so that not all meet at one.
    for (std::int32_t i = 0; i < leaders_; ++i) collect((local_ + i) % leaders_);
    if (local_ < leaders_) combineAcrossNodes();
    for (std::int32_t i = 0; i < leaders_; ++i) handBack((local_ + i) % leaders_);
    return std::move(writer_).finish();
  }

 private:
  std::int32_t leadersPerNode() const {
    std::size_t fewest = nodes_.front().size();
    for (const auto& members : nodes_) fewest = std::min(fewest, members.size());
    const std::int64_t wanted = request_.parameters[kLeaders];
    return static_cast<std::int32_t>(wanted == 0 ? fewest : std::min<std::size_t>(wanted, fewest));
  }

  Block shareOf(std::int32_t leader) const { return partOf({0, request_.shape.count}, leaders_, leader); }
  const std::vector<std::int32_t>& members() const { return nodes_[node_]; }

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

  // The nodes' own allreduce of one share, over node numbers.
  Schedule innerOf(std::int32_t leader, std::int32_t node) const {
    const Algorithm& inner = *findAlgorithm(static_cast<std::int32_t>(request_.parameters[kInner]));
    BuildRequest request;
    request.shape = {.ranks = static_cast<std::int32_t>(nodes_.size()), .count = shareOf(leader).count};
    request.virtual_rank = node;
    request.parameters = defaultParameters(inner);
    return buildSchedule(inner, request);
  }

  void combineAcrossNodes() {
    const Schedule inner = innerOf(local_, node_);
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
  std::vector<std::vector<std::int32_t>> nodes_;  // ranks
  std::int32_t leaders_;                          // of each node
  ScheduleWriter writer_;
  std::int32_t node_ = 0;
  std::int32_t local_ = 0;  // this rank's place in its node
};

}  // namespace

Schedule buildTwoLevel(const BuildRequest& request) { return TwoLevel(request).build(); }

}  // namespace starling
