#include "schedule/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedule/hazards.h"
#include "schedule/operand_forest.h"
#include "schedule/progress.h"
#include "schedule/step_graph.h"

namespace starling {
namespace {

// Runs the whole call on operand trees instead of numbers. Elements between two neighbouring block borders of any rank
// share their fate, so one tree stands for all of them.
class SymbolicCall {
 public:
  SymbolicCall(const StepGraph& graph, const Claims& claims) : graph_(graph), claims_(claims), forest_(graph.ranks()) {
    const std::int64_t count = graph.schedule(0).count;
    // Many steps have the same few borders, so that marking them takes less time than sorting would.
    std::vector<bool> is_border(count + 1, false);
    is_border.front() = is_border.back() = true;
    for (StepId id = 0; id < graph.size(); ++id) {
      const Block& block = graph.step(id).block;
      is_border[block.offset] = is_border[block.offset + block.count] = true;
    }
    for (std::int64_t offset = 0; offset <= count; ++offset) {
      if (is_border[offset]) borders_.push_back(offset);
    }
    const std::size_t intervals = borders_.size() - 1;
    for (std::int32_t rank = 0; rank < graph.ranks(); ++rank) {
      const bool has_input = claims.collective != Collective::kBroadcast || rank == claims.root;
      held_.emplace_back(intervals, has_input ? static_cast<TreeId>(rank) : kUndefined);
      held_.back().resize((graph.schedule(rank).side_slots + std::size_t{1}) * intervals, kUndefined);
    }
  }

  // Runs to the end with unbuffered sends and a window of one.
  Status run() {
    Progress progress(graph_, 1);
    for (std::int32_t rank = 0; rank < graph_.ranks(); ++rank) progress.arrive(rank);
    while (true) {
      const std::pmr::vector<StepId> ready = progress.takeReady();
      for (const StepId send : ready) {
        const Status delivered = deliver(send);
        if (!delivered.isOk()) return delivered;
        progress.depart(send);
        progress.deliver(send);
      }
      const std::pmr::vector<StepId> combinable = progress.takeCombinable();
      for (const StepId step : combinable) {
        const Status combined = combine(step);
        if (!combined.isOk()) return combined;
        progress.combine(step);
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
      if (claims_.collective == Collective::kReduce && rank != claims_.root) continue;
      for (std::size_t i = 0; i + 1 < borders_.size(); ++i) {
        const Status right = claims_.collective == Collective::kBroadcast ? checkCopy(rank, i) : checkSum(rank, i);
        if (!right.isOk()) return right;
      }
    }
    return Status::ok();
  }

 private:
  static constexpr TreeId kUndefined = static_cast<TreeId>(-1);

  Status checkCopy(std::int32_t rank, std::size_t interval) const {
    if (held_[rank][interval] == static_cast<TreeId>(claims_.root)) return Status::ok();
    return Status::error(fmt::format("Rank {} ends without the input of root {} in elements {}.", rank, claims_.root,
                                     describe(interval)));
  }

  Status checkSum(std::int32_t rank, std::size_t interval) const {
    const auto missing = forest_.missingInput(held_[rank][interval]);
    if (missing) {
      return Status::error(
          fmt::format("Rank {} ends without the input of rank {} in elements {}.", rank, *missing, describe(interval)));
    }
    if (claims_.collective == Collective::kReduce || held_[rank][interval] == held_[0][interval]) return Status::ok();
    return Status::error(
        fmt::format("Ranks 0 and {} combine elements {} in different operand trees.", rank, describe(interval)));
  }

  std::pair<std::size_t, std::size_t> intervalsOf(const Block& block) const {
    const auto at = [&](std::int64_t offset) {
      return static_cast<std::size_t>(std::lower_bound(borders_.begin(), borders_.end(), offset) - borders_.begin());
    };
    return {at(block.offset), at(block.offset + block.count)};
  }

  std::string describe(std::size_t interval) const {
    return fmt::format("[{}, {})", borders_[interval], borders_[interval + 1]);
  }

  // Returns what the rank holds of the step's block in that slot.
  std::span<TreeId> heldBy(StepId id, std::int32_t slot) {
    const auto [begin, end] = intervalsOf(graph_.step(id).block);
    return std::span(held_[graph_.rankOf(id)]).subspan(slot * (borders_.size() - 1) + begin, end - begin);
  }

  Status deliver(StepId send) {
    const StepId receiver = graph_.partnerOf(send);
    const std::span<const TreeId> source = heldBy(send, graph_.step(send).slot);
    if (std::find(source.begin(), source.end(), kUndefined) != source.end()) {
      return Status::error(fmt::format("{} sends what nothing was written to.", graph_.describe(send)));
    }
    if (graph_.step(receiver).kind == StepKind::kReceive) {
      std::copy(source.begin(), source.end(), heldBy(receiver, graph_.step(receiver).slot).begin());
    } else {
      scratch_[receiver].assign(source.begin(), source.end());
    }
    return Status::ok();
  }

  Status combine(StepId id) {
    const Step& step = graph_.step(id);
    if (step.kind == StepKind::kCombine) {
      const std::span<TreeId> source = heldBy(id, step.source_slot);
      Status combined = combineWith(source, id);
      std::fill(source.begin(), source.end(), kUndefined);
      return combined;
    }
    return combineWith(std::move(scratch_.extract(id).mapped()), id);
  }

  Status combineWith(std::span<const TreeId> incoming, StepId id) {
    const std::span<TreeId> held = heldBy(id, graph_.step(id).slot);
    for (std::size_t i = 0; i < held.size(); ++i) {
      const Status combined = combineInterval(incoming[i], held[i], id);
      if (!combined.isOk()) return combined;
    }
    return Status::ok();
  }

  Status combineInterval(TreeId incoming, TreeId& held, StepId id) {
    const Step& step = graph_.step(id);
    const auto fault = [&](const std::string& what) {
      return Status::error(fmt::format("{} {} in elements [{}, {}).", graph_.describe(id), what, step.block.offset,
                                       step.block.offset + step.block.count));
    };
    if (incoming == kUndefined || held == kUndefined) return fault("combines what nothing was written to");
    const auto shared = forest_.sharedInput(incoming, held);
    if (shared) return fault(fmt::format("combines the input of rank {} a second time", *shared));
    const bool is_left = step.order == OperandOrder::kIncomingLeft;
    held = is_left ? forest_.combine(incoming, held) : forest_.combine(held, incoming);
    if (claims_.keeps_rank_order && !forest_.isInRankOrder(held)) {
      return fault("combines out of rank order, which the algorithm claims to keep,");
    }
    return Status::ok();
  }

  const StepGraph& graph_;
  const Claims claims_;
  OperandForest forest_;
  std::vector<std::int64_t> borders_;                        // interval i is [borders_[i], borders_[i + 1])
  std::vector<std::vector<TreeId>> held_;                    // by rank, then slot and interval
  std::unordered_map<StepId, std::vector<TreeId>> scratch_;  // by kReduce step, until combined
};

}  // namespace

Status verify(std::span<const Schedule> schedules, const Claims& claims) {
  const Result<StepGraph> graph = StepGraph::make(schedules);
  if (!graph.isOk()) return graph.status();
  if (claims.root < 0 || claims.root >= graph.value().ranks()) {
    return Status::error(fmt::format("Rank {} cannot be the root: there are {}.", claims.root, graph.value().ranks()));
  }
  for (const Schedule& schedule : schedules) {
    const Status ordered = checkHazards(schedule);
    if (!ordered.isOk()) return ordered;
  }
  SymbolicCall call(graph.value(), claims);
  const Status finished = call.run();
  return finished.isOk() ? call.checkResults() : finished;
}

}  // namespace starling
