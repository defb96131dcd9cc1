// Makes calls of fewer ranks that stand for a whole one, and simulates them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/fewer_ranks.h"
#include "simulator/rank_sample.h"
#include "simulator/simulator.h"

namespace starling {

// So many units of a RankSample take part, with so many ranks of each at most, or some more where few are late and
// `keeps_late`. Messages are so many times slower, and those within a node by a factor of their own. `weighs`: the exit
// of each rank counts like those of all for which it stands.
struct SampleSize {
  std::int32_t units;
  std::int32_t of_node;
  double slowdown = 1.0;
  double inner_slowdown = 1.0;
  bool keeps_late = false;
  bool weighs = false;
  double steps = 1.0;  // the most that a call may have, as a part of the usual
};

// Where some ranks of a node stand for all of them, what they send takes as long as what all would: how that grows with
// the ranks of a node is seen from calls of two nodes with two ranks, and with four. THREADS: const after construction.
class SmallerCalls {
 public:
  // Both outlive it.
  SmallerCalls(const CallToPredict& call, const RankSample& sample);

  const Algorithm& algorithm() const { return algorithm_; }
  bool isChain() const;
  bool isMadeForNodes() const { return algorithm_.suits_topology != nullptr; }
  // Returns how many ranks a node has; 1 where ranks are taken one by one.
  std::int32_t ofWholeNode() const { return of_whole_node_; }
  // Returns the power of its ranks with which the messages grow that leave a node.
  double growthOfMessages() const { return growth_.of_all_messages; }

  // Returns whether the call has no more than so many steps of all ranks.
  bool fits(const SampleSize& size, std::int64_t steps) const;
  // Returns the post-arrival time of a call of that size, with the `latest` units that come latest; some time beyond
  // `limit` where it takes longer than that.
  Result<Seconds> timeOf(const SampleSize& size, std::int32_t latest, Seconds limit) const;

 private:
  struct Call {
    std::int32_t ranks = 0;
    CostModel model;
    SimulationScope scope;
    std::vector<StandIn> stand_ins;
    std::vector<Seconds> arrivals;
    std::vector<std::int64_t> lateness_ns;
    Topology topology{};
    std::optional<NodeSizes> sizes{};  // where the row is made for nodes
    Choice choice{};
  };
  // What all ranks of a node send out of it, by lane, and the elements that the busiest of them has from the others.
  struct Traffic {
    std::array<double, kMaxLanes> elements{};
    std::array<double, kMaxLanes> messages{};
    double within = 0.0;
  };
  struct Growth {
    // By each more rank, as a part of what a node sends that has only this one.
    std::array<double, kMaxLanes> elements_of_each{};
    std::array<double, kMaxLanes> messages{};  // exponents of the number of ranks
    double within = 0.0;                       // exponent of the number of others
    double of_all_messages = 0.0;              // exponent of the number of ranks
  };

  Choice usualFor(const Shape& shape, const CostModel& model) const;
  Choice choiceFor(const Shape& shape, const CostModel& model) const;
  Call planOf(const SampleSize& size, std::span<const SampledRank> ranks) const;
  void keepFirstRank(std::vector<SampledRank>& ranks) const;
  Call callOf(const SampleSize& size, std::int32_t latest) const;
  void slow(Call& call, const SampleSize& size) const;
  StandIn standIn(const SampledRank& sampled, const SampleSize& size) const;
  Shape shapeOf(const Call& call) const;
  Shape withTrees(Call& call) const;
  std::int64_t stepsOf(const Call& call) const;
  void cutSegments(Call& call, const SampleSize& size) const;
  Traffic trafficOf(std::int32_t of_node) const;
  Growth growthOfTraffic() const;

  const CallToPredict& call_;
  const RankSample& sample_;
  const Algorithm& algorithm_;
  const Choice usual_;  // of the whole call
  const std::int32_t of_whole_node_;
  Growth growth_{};  // none while it is being found
};

}  // namespace starling
