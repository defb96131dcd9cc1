// A rank takes in all of one partial result before the next: they come one after another. Final segments are sent in
// the lane of the partial ones, after these, and so do not slow down a late rank that still has some to take in.
#include "algos/merge_walk.h"

#include <algorithm>

#include "algos/build_notes.h"
#include "schedule/partition.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

std::int64_t mergeSegments(const Shape& shape, const ParameterValues& parameters) {
  return std::min(parameters[kMergeSegments], shape.count);
}

std::int64_t roundsOfSegments(std::int32_t ranks, std::int64_t segments) { return segments - 1 + ceilLog2(ranks); }

// Counts the steps of a rank that takes part in so many merges.
std::int64_t stepsWith(std::int64_t merges, const Shape& shape, const ParameterValues& parameters) {
  const std::int64_t segments = mergeSegments(shape, parameters);
  return merges * segments + 2 * roundsOfSegments(shape.ranks, segments);
}

std::int64_t mergesOf(std::int32_t rank, std::span<const Merge> merges) {
  return std::ranges::count_if(merges, [rank](const Merge& m) { return m.source == rank || m.target == rank; });
}

class MergeWalk {
 public:
  MergeWalk(const BuildRequest& request, std::span<const Merge> merges)
      : rank_(request.virtual_rank),
        ranks_(request.shape.ranks),
        segments_(static_cast<std::int32_t>(mergeSegments(request.shape, request.parameters))),
        whole_{0, request.shape.count},
        rounds_(request.notes->roundsOf(ranks_)),
        writer_(request.seat(), 2 * segments_,
                request.room(stepsWith(mergesOf(rank_, merges), request.shape, request.parameters))) {
    for (const Merge& merge : merges) reduce(merge);
    distribute(merges.back().target);
  }

  Schedule finish() && { return std::move(writer_).finish(); }

 private:
  void reduce(const Merge& merge) {
    if (rank_ != merge.source && rank_ != merge.target) return;
    // Between neighbours this is the order of the ranks; elsewhere the order is free.
    const OperandOrder order = merge.source < merge.target ? OperandOrder::kIncomingLeft : OperandOrder::kIncomingRight;
    for (std::int32_t i = 0; i < segments_; ++i) {
      const Block segment = partOf(whole_, segments_, i);
      if (rank_ == merge.target) writer_.reduce(segment, merge.source, order, i, kReduceLane);
      if (rank_ == merge.source) writer_.send(segment, merge.target, i, kReduceLane);
    }
  }

  void distribute(std::int32_t root) {
    const std::int32_t index = (rank_ - root + ranks_) % ranks_;
    for (const BroadcastRound& round : rounds_.roundsOf(index, segments_)) {
      if (round.sent >= 0) {
        const Block segment = partOf(whole_, segments_, round.sent);
        writer_.send(segment, (round.target + root) % ranks_, segments_ + round.sent, kReduceLane);
      }
      if (round.received >= 0) {
        const Block segment = partOf(whole_, segments_, round.received);
        writer_.receive(segment, (round.source + root) % ranks_, segments_ + round.received, kDistributeLane);
      }
    }
  }

  std::int32_t rank_;
  std::int32_t ranks_;
  std::int32_t segments_;
  Block whole_;
  BroadcastRounds& rounds_;
  ScheduleWriter writer_;
};

}  // namespace

std::int64_t mergeSteps(const Shape& shape, const ParameterValues& parameters) {
  return stepsWith(mostMerges(shape.ranks), shape, parameters);
}

std::int64_t mergeWorkBytes(const Shape& shape, const ParameterValues& parameters) {
  return mergeOrderBytes(shape.ranks) + BroadcastRounds::bytesFor(shape.ranks, mergeSegments(shape, parameters));
}

Schedule buildMerges(const BuildRequest& request, MergeOrder order) {
  std::pmr::vector<Merge>& merges = request.notes->merges;
  if (merges.empty()) {
    merges = order(request.shape.ranks, request.lateness_ns, request.parameters[kMergeStepTime],
                   merges.get_allocator().resource());
  }
  return MergeWalk(request, merges).finish();
}

}  // namespace starling
