#include "algos/node_exchange.h"

#include <algorithm>

#include "algos/fold.h"
#include "algos/row.h"
#include "schedule/partition.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

class NodeExchange {
 public:
  NodeExchange(const BuildRequest& request, bool is_whole)
      : ranks_(request.shape.ranks),
        self_(request.virtual_rank),
        whole_{0, request.shape.count},
        is_whole_(is_whole),
        fold_(ranks_),
        writer_(request.seat(), 2, request.room(nodeExchangeSteps(request.shape, request.parameters), ranks_ - 1)) {
    if (partFor(self_).count > 0) writer_.addSideSlots(ranks_ - 1, partFor(self_));
  }

  Schedule build() && {
    for (std::int32_t distance = 1; distance < ranks_; ++distance) {
      const std::int32_t from = (self_ + ranks_ - distance) % ranks_;
      writer_.send(partFor(after(distance)), after(distance), 0, kReduceLane);
      writer_.receive(partFor(self_), from, 0, kReduceLane, slotOf(from));
    }
    if (partFor(self_).count > 0) combineBetween(0, fold_.power());
    if (!is_whole_) handOut();
    return std::move(writer_).finish();
  }

 private:
  std::int32_t after(std::int32_t distance) const { return (self_ + distance) % ranks_; }
  // Returns what a rank combines.
  Block partFor(std::int32_t rank) const { return is_whole_ ? whole_ : partOf(whole_, ranks_, rank); }
  // The rank's own contribution is in the work vector, slot 0.
  std::int32_t slotOf(std::int32_t rank) const { return rank == self_ ? 0 : rank < self_ ? rank + 1 : rank; }

  // Combines two slots, of which the left one has the lower ranks, and returns where the result is: in slot 0, if that
  // is one of them.
  std::int32_t combine(std::int32_t left, std::int32_t right) {
    const bool is_into_right = right == 0;
    const std::int32_t target = is_into_right ? right : left;
    const auto order = is_into_right ? OperandOrder::kIncomingLeft : OperandOrder::kIncomingRight;
    writer_.combine(partFor(self_), is_into_right ? left : right, target, order);
    return target;
  }

  // Combines the positions of the fold from `begin` on, and returns the slot that has the result.
  std::int32_t combineBetween(std::int32_t begin, std::int32_t positions) {
    if (positions == 1) {
      const std::int32_t rank = fold_.rankAt(begin);
      return fold_.isInPair(rank) ? combine(slotOf(rank - 1), slotOf(rank)) : slotOf(rank);
    }
    const std::int32_t half = positions / 2;
    const std::int32_t left = combineBetween(begin, half);
    return combine(left, combineBetween(begin + half, half));
  }

  void handOut() {
    for (std::int32_t distance = 1; distance < ranks_; ++distance) {
      const std::int32_t from = (self_ + ranks_ - distance) % ranks_;
      writer_.send(partFor(self_), after(distance), 1, kDistributeLane);
      writer_.receive(partFor(from), from, 1, kDistributeLane);
    }
  }

  std::int32_t ranks_;
  std::int32_t self_;
  Block whole_;
  bool is_whole_;
  Fold fold_;
  ScheduleWriter writer_;
};

}  // namespace

std::int64_t nodeExchangeSteps(const Shape& shape, const ParameterValues&) { return 5 * (shape.ranks - 1); }

std::int64_t nodeExchangeScratch(const Shape& shape, std::int64_t most_whole) {
  const std::int64_t others = shape.ranks - 1;
  const std::int64_t part = (shape.count + others) / shape.ranks;
  return std::max({shape.count, others * part, shape.count <= most_whole ? others * shape.count : 0});
}

Schedule buildNodeExchange(const BuildRequest& request, bool is_whole) {
  return NodeExchange(request, is_whole).build();
}

bool hasFewEnoughRanksForNode(const Shape& shape) { return shape.ranks <= 4096; }

}  // namespace starling
