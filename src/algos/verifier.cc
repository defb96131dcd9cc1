#include "algos/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algos/hazards.h"
#include "algos/operand_forest.h"
#include "algos/progress.h"
#include "algos/step_graph.h"

namespace starling {
namespace {

// The whole call on operand trees instead of numbers. Elements between two neighbouring block borders of any rank share
// their fate, so one tree stands for all of them.
class SymbolicCall {
 public:
  SymbolicCall(const StepGraph& graph, const Claims& claims) : graph_(graph), claims_(claims), forest_(graph.ranks()) {
    borders_ = {0, graph.schedule(0).count};
    for (StepId id = 0; id < graph.size(); ++id) {
      const Block& block = graph.step(id).block;
      borders_.push_back(block.offset);
      borders_.push_back(block.offset + block.count);
    }
    std::sort(borders_.begin(), borders_.end());
    borders_.erase(std::unique(borders_.begin(), borders_.end()), borders_.end());
    for (std::int32_t rank = 0; rank < graph.ranks(); ++rank) {
      held_.emplace_back(borders_.size() - 1, static_cast<TreeId>(rank));
    }
  }

  // Runs to the end with unbuffered sends and a window of one.
  Status run() {
    Progress progress(graph_, 1);
    for (std::int32_t rank = 0; rank < graph_.ranks(); ++rank) progress.arrive(rank);
    while (true) {
      const std::vector<StepId> ready = progress.takeReady();
      for (const StepId send : ready) {
        deliver(send);
        progress.depart(send);
        progress.deliver(send);
      }
      const std::vector<StepId> combinable = progress.takeCombinable();
      for (const StepId reduce : combinable) {
        const Status combined = combine(reduce);
        if (!combined.isOk()) return combined;
        progress.combine(reduce);
      }
      if (ready.empty() && combinable.empty()) break;
    }
    if (!progress.isDone()) {
      return Status::error(
          fmt::format("Deadlock with unbuffered sends and a window of one: {}.", progress.describeWaiting()));
    }
    return Status::ok();
  }

  Status checkResults() const {
    for (std::int32_t rank = 0; rank < graph_.ranks(); ++rank) {
      for (std::size_t i = 0; i < held_[rank].size(); ++i) {
        const auto missing = forest_.missingInput(held_[rank][i]);
        if (missing) {
          return Status::error(
              fmt::format("Rank {} ends without the input of rank {} in elements {}.", rank, *missing, describe(i)));
        }
        if (held_[rank][i] != held_[0][i]) {
          return Status::error(
              fmt::format("Ranks 0 and {} combine elements {} in different operand trees.", rank, describe(i)));
        }
      }
    }
    return Status::ok();
  }

 private:
  std::pair<std::size_t, std::size_t> intervalsOf(const Block& block) const {
    const auto at = [&](std::int64_t offset) {
      return static_cast<std::size_t>(std::lower_bound(borders_.begin(), borders_.end(), offset) - borders_.begin());
    };
    return {at(block.offset), at(block.offset + block.count)};
  }

  std::string describe(std::size_t interval) const {
    return fmt::format("[{}, {})", borders_[interval], borders_[interval + 1]);
  }

  void deliver(StepId send) {
    const StepId receiver = graph_.partnerOf(send);
    const auto [begin, end] = intervalsOf(graph_.step(send).block);
    const auto source = held_[graph_.rankOf(send)].begin();
    if (graph_.step(receiver).kind == StepKind::kReceive) {
      std::copy(source + begin, source + end, held_[graph_.rankOf(receiver)].begin() + begin);
    } else {
      scratch_[receiver].assign(source + begin, source + end);
    }
  }

  Status combine(StepId reduce) {
    const Step& step = graph_.step(reduce);
    const auto [begin, end] = intervalsOf(step.block);
    const std::vector<TreeId> incoming = std::move(scratch_.extract(reduce).mapped());
    std::vector<TreeId>& held = held_[graph_.rankOf(reduce)];
    for (std::size_t i = begin; i < end; ++i) {
      const TreeId other = incoming[i - begin];
      const auto shared = forest_.sharedInput(other, held[i]);
      if (shared) {
        return Status::error(fmt::format("{} combines the input of rank {} a second time in elements {}.",
                                         graph_.describe(reduce), *shared, describe(i)));
      }
      const bool is_left = step.order == OperandOrder::kIncomingLeft;
      held[i] = is_left ? forest_.combine(other, held[i]) : forest_.combine(held[i], other);
      if (claims_.keeps_rank_order && !forest_.isInRankOrder(held[i])) {
        return Status::error(
            fmt::format("{} combines elements {} out of rank order, which the algorithm claims to keep.",
                        graph_.describe(reduce), describe(i)));
      }
    }
    return Status::ok();
  }

  const StepGraph& graph_;
  const Claims claims_;
  OperandForest forest_;
  std::vector<std::int64_t> borders_;                        // interval i is [borders_[i], borders_[i + 1])
  std::vector<std::vector<TreeId>> held_;                    // by rank, then interval
  std::unordered_map<StepId, std::vector<TreeId>> scratch_;  // by kReduce step, until combined
};

}  // namespace

Status verify(std::span<const Schedule> schedules, const Claims& claims) {
  const Result<StepGraph> graph = StepGraph::make(schedules);
  if (!graph.isOk()) return graph.status();
  for (const Schedule& schedule : schedules) {
    const Status ordered = checkHazards(schedule);
    if (!ordered.isOk()) return ordered;
  }
  SymbolicCall call(graph.value(), claims);
  const Status finished = call.run();
  return finished.isOk() ? call.checkResults() : finished;
}

}  // namespace starling
