// Reductions along the merges that fit the expected arrivals, and a broadcast of the result in the fewest rounds.
//
// A rank takes in all of one partial result before the next: they come one after another. Final segments are sent in
// the lane of the partial ones, after these, and so do not slow down a late rank that still has some to take in.
#include <algorithm>

#include "algos/broadcast_rounds.h"
#include "algos/builders.h"
#include "algos/merge_order.h"
#include "algos/partition.h"
#include "algos/schedule_writer.h"

namespace starling {
namespace {

enum Parameters : std::size_t { kSegments, kStep };

class Merged {
 public:
  Merged(const BuildRequest& request, const std::vector<Merge>& merges)
      : rank_(request.virtual_rank),
        ranks_(request.shape.ranks),
        segments_(static_cast<std::int32_t>(std::min(request.parameters[kSegments], request.shape.count))),
        whole_{0, request.shape.count},
        writer_(request, 2 * segments_) {
    for (const Merge& merge : merges) reduce(merge);
    distribute(merges.back().target);
  }

  Schedule finish() && { return std::move(writer_).finish(); }

 private:
  void reduce(const Merge& merge) {
    // Between neighbours the source holds the ranks to the left; elsewhere the order is free.
    for (std::int32_t i = 0; i < segments_; ++i) {
      const Block segment = partOf(whole_, segments_, i);
      if (rank_ == merge.target) writer_.reduce(segment, merge.source, OperandOrder::kIncomingLeft, i, kReduceLane);
      if (rank_ == merge.source) writer_.send(segment, merge.target, i, kReduceLane);
    }
  }

  void distribute(std::int32_t root) {
    const std::int32_t index = (rank_ - root + ranks_) % ranks_;
    for (const BroadcastRound& round : BroadcastRounds(ranks_).roundsOf(index, segments_)) {
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
  ScheduleWriter writer_;
};

}  // namespace

Schedule buildStaticOptimal(const BuildRequest& request) {
  const std::int64_t step_ns = request.parameters[kStep];
  return Merged(request, earliestReadyMerges(request.shape.ranks, request.lateness_ns, step_ns)).finish();
}

Schedule buildLocalRedirect(const BuildRequest& request) {
  const std::int64_t step_ns = request.parameters[kStep];
  return Merged(request, neighbourMerges(request.shape.ranks, request.lateness_ns, step_ns)).finish();
}

}  // namespace starling
