// Combines within one node. Where the ranks share memory (src/node) nothing of this schedule travels: it says who
// combines what, and in which association. Where they do not, its messages do the same.
//
// Short vectors every rank combines for itself; of longer ones each combines a part, which it takes from all others and
// hands to all others. Operands are combined in the association of recursive doubling.
#include <algorithm>

#include "algos/fold.h"
#include "algos/row.h"
#include "schedule/partition.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

enum NodeParameters : std::size_t { kSlotElements, kChunk };

constexpr std::int64_t kMostSlotElements = 1024;

bool isInSlots(std::int64_t count, const ParameterValues& parameters) { return count <= parameters[kSlotElements]; }

// Others' contributions come, results are handed out, and in between all are combined.
std::int64_t nodeSteps(const Shape& shape, const ParameterValues&) { return 5 * (shape.ranks - 1); }

std::int64_t nodeScratch(const Shape& shape) {
  const std::int64_t others = shape.ranks - 1;
  const std::int64_t part = (shape.count + others) / shape.ranks;
  return std::max({shape.count, others * part, shape.count <= kMostSlotElements ? others * shape.count : 0});
}

class Node {
 public:
  explicit Node(const BuildRequest& request)
      : ranks_(request.shape.ranks),
        self_(request.virtual_rank),
        whole_{0, request.shape.count},
        in_slots_(isInSlots(request.shape.count, request.parameters)),
        fold_(ranks_),
        writer_(request.seat(), 2, request.room(nodeSteps(request.shape, request.parameters), ranks_ - 1)) {
    if (partFor(self_).count > 0) writer_.addSideSlots(ranks_ - 1, partFor(self_));
  }

  Schedule build() && {
    for (std::int32_t distance = 1; distance < ranks_; ++distance) {
      const std::int32_t from = (self_ + ranks_ - distance) % ranks_;
      writer_.send(partFor(after(distance)), after(distance), 0, kReduceLane);
      writer_.receive(partFor(self_), from, 0, kReduceLane, slotOf(from));
    }
    if (partFor(self_).count > 0) combineBetween(0, fold_.power());
    if (!in_slots_) handOut();
    return std::move(writer_).finish();
  }

 private:
  std::int32_t after(std::int32_t distance) const { return (self_ + distance) % ranks_; }
  // Returns what a rank combines.
  Block partFor(std::int32_t rank) const { return in_slots_ ? whole_ : partOf(whole_, ranks_, rank); }
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
  bool in_slots_;
  Fold fold_;
  ScheduleWriter writer_;
};

Schedule buildNode(const BuildRequest& request) { return Node(request).build(); }

// With more ranks a schedule takes too much memory.
bool hasFewEnoughRanksForNode(const Shape& shape) { return shape.ranks <= 4096; }

constexpr std::int64_t kSlotElementsWorthTrying[] = {0, kMostSlotElements};
constexpr std::int64_t kChunkWorthTrying[] = {384};
constexpr Parameter kNodeParameters[] = {
    {"slots", 0, kMostSlotElements, 256, "elements", "vectors of up to so many lie in slots, which every rank combines",
     kSlotElementsWorthTrying},
    {"chunk", 4, 384, 128, "KiB", "of longer vectors this much is copied in while the part before is combined",
     kChunkWorthTrying},
    kWindow,
    kPacing};

}  // namespace

constexpr Algorithm kNodeRow{
    .id = kNodeAlgorithm,
    .name = "node",
    .what =
        "combines through memory that the ranks of one node share: each combines the whole of a short vector, and a "
        "part of a long one.",
    .trade_off =
        "no messages, and what is there is combined while somebody is late; needs all ranks on one node, else its "
        "messages are those of an exchange of all with all",
    .parameters = kNodeParameters,
    .keeps_rank_order = true,
    .fixed_association = true,
    .uses_arrivals = false,
    .suits_topology = sharesOneMemory,
    .chains_ranks = alwaysChainsRanks,
    .scratch_elements = nodeScratch,
    .is_valid = hasFewEnoughRanksForNode,
    .build = buildNode,
    .max_steps = nodeSteps,
    .has_side_slots = true,
    .valid_text = "up to 4096 ranks, any count",
    .cost = "in shared memory: 2 a + n b (copy in, copy out) + n g; as messages 2 (P - 1) a + 2 n b (P-1)/P + n g",
    .source = "own; slots as in MPICH's release-gather, slices as in Open MPI's xhc, association of recursive doubling",
    .openmpi_nearest = "ignore"};

}  // namespace starling
