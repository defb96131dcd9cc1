// In a late join the early ranks combine among themselves while they wait for the latest one, whose blocks then go out
// in a round-optimal broadcast. The first rank that a block comes to, its owner, has the early ranks' sum of it, and
// adds the two; from there on the broadcast carries the result. A broadcast run backwards is a reduction: the same
// rounds, last first and without the root, have brought the early ranks' sums to the owners. The root gets these sums,
// too, in the one slot of each round that the broadcast leaves free, from the rank that would send to it (the giver),
// and adds them to its own block in the same order. So every rank sends and receives one block in each round, and keeps
// in step with the others: where one runs ahead two blocks meet at a receiver.
//
// In the broadcast, the latest rank, P - 1, is the root, which has index 0; rank r has index r + 1.
#include <algorithm>
#include <vector>

#include "algos/build_notes.h"
#include "algos/row.h"
#include "schedule/partition.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

constexpr std::int32_t kRoot = 0;
// The root sends the last block in all rounds of the last phase, first to this one.
constexpr std::int32_t kOwnerOfLast = 1;
constexpr std::int32_t kNoBlock = -1;

// Tells what this index does in one round of the broadcast, and what the root begins in it.
struct Round : BroadcastRound {
  std::int32_t joined = kNoBlock;  // the block that the root sends for the first time
  std::int32_t again = kNoBlock;   // the last block, when the root sends it to others than its owner
  std::int32_t root_target = 0;
  std::int32_t giver = 0;
};

std::int64_t lateJoinBlocks(const Shape& shape, const ParameterValues& parameters) {
  return std::min(parameters[0], shape.count);
}

// A block comes and goes once backwards and once forwards in each round; the last phase repeats the last block.
std::int64_t lateJoinSteps(const Shape& shape, const ParameterValues& parameters) {
  return 4 * lateJoinBlocks(shape, parameters) + 6 * ceilLog2(shape.ranks);
}

class LateJoin {
 public:
  LateJoin(const BuildRequest& request, std::int32_t blocks)
      : ranks_(request.shape.ranks),
        index_((request.virtual_rank + 1) % ranks_),
        blocks_(blocks),
        whole_{0, request.shape.count},
        writer_(request.seat(), 4 * blocks, request.room(lateJoinSteps(request.shape, request.parameters))),
        rounds_(request.memory) {
    writer_.keepInStep(kReduceLane);
    listRounds(request.notes->roundsOf(ranks_));
  }

  Schedule build() && {
    if (index_ != kRoot) {
      for (auto round = rounds_.rbegin(); round != rounds_.rend(); ++round) reduceBack(*round);
    }
    for (const Round& round : rounds_) copyToGiver(round);
    for (const Round& round : rounds_) {
      join(round);
      distribute(round);
    }
    return std::move(writer_).finish();
  }

 private:
  void listRounds(BroadcastRounds& of_all) {
    rounds_.reserve(static_cast<std::size_t>(blocks_) + static_cast<std::size_t>(ceilLog2(ranks_)));
    for (const BroadcastRound& step : of_all.roundsOf(index_, blocks_)) {
      Round& round = rounds_.emplace_back(Round{step});
      round.root_target = step.skip;
      round.giver = ranks_ - step.skip;
      const bool is_repeated = step.is_in_last_phase && step.skip != kOwnerOfLast;
      (is_repeated ? round.again : round.joined) = step.rooted;
    }
  }

  bool isFromRoot(const Round& round) const { return index_ == round.root_target; }

  void reduceBack(const Round& round) {
    if (round.received >= 0 && !isFromRoot(round)) send(round.received, round.source, kBackward);
    // What the root will send once more is nobody's yet: it is summed up at the owner.
    if (round.again >= 0 && isFromRoot(round)) send(round.again, kOwnerOfLast, kBackward);
    if (round.sent >= 0) reduce(round.sent, round.target, OperandOrder::kIncomingLeft, kBackward);
    if (round.again >= 0 && index_ == kOwnerOfLast) {
      reduce(round.again, round.root_target, OperandOrder::kIncomingLeft, kBackward);
    }
  }

  void copyToGiver(const Round& round) {
    if (round.joined < 0 || round.giver == round.root_target) return;
    if (isFromRoot(round)) send(round.joined, round.giver, kCopy);
    if (index_ == round.giver) receive(round.joined, round.root_target, kCopy);
  }

  // Root and owner add the early ranks' sum and the latest one's block in this order.
  void join(const Round& round) {
    if (round.joined < 0) return;
    if (index_ == kRoot) {
      send(round.joined, round.root_target, kJoin);
      reduce(round.joined, round.giver, OperandOrder::kIncomingLeft, kJoin);
    }
    if (index_ == round.giver) send(round.joined, kRoot, kJoin);
    if (isFromRoot(round)) reduce(round.joined, kRoot, OperandOrder::kIncomingRight, kJoin);
  }

  void distribute(const Round& round) {
    const bool joins = round.joined >= 0;
    if (round.sent >= 0 && !(index_ == kRoot && joins)) send(round.sent, round.target, kForward);
    if (round.received >= 0 && !(isFromRoot(round) && joins)) {
      receive(round.received, round.source, kForward);
    }
  }

  // These tell messages of one pair that have the same block apart.
  enum Stage : std::int32_t { kBackward, kCopy, kJoin, kForward };

  void send(std::int32_t block, std::int32_t index, Stage stage) {
    writer_.send(blockOf(block), rankOf(index), tagOf(block, stage));
  }
  void receive(std::int32_t block, std::int32_t index, Stage stage) {
    writer_.receive(blockOf(block), rankOf(index), tagOf(block, stage));
  }
  void reduce(std::int32_t block, std::int32_t index, OperandOrder order, Stage stage) {
    writer_.reduce(blockOf(block), rankOf(index), order, tagOf(block, stage));
  }
  Block blockOf(std::int32_t block) const { return partOf(whole_, blocks_, block); }
  std::int32_t rankOf(std::int32_t index) const { return (index - 1 + ranks_) % ranks_; }
  std::int32_t tagOf(std::int32_t block, Stage stage) const { return stage * blocks_ + block; }

  std::int32_t ranks_;
  std::int32_t index_;
  std::int32_t blocks_;
  Block whole_;
  ScheduleWriter writer_;
  std::pmr::vector<Round> rounds_;
};

std::int64_t lateJoinWorkBytes(const Shape& shape, const ParameterValues& parameters) {
  const std::int64_t blocks = lateJoinBlocks(shape, parameters);
  return BroadcastRounds::bytesFor(shape.ranks, blocks) +
         (blocks + ceilLog2(shape.ranks)) * std::int64_t{sizeof(Round)};
}

Schedule buildLateJoin(const BuildRequest& request) {
  return LateJoin(request, static_cast<std::int32_t>(lateJoinBlocks(request.shape, request.parameters))).build();
}

std::optional<double> bestLateJoinSegments(const Shape& shape, const ParameterValues&, double transfers) {
  return leastCostSegments(ceilLog2(shape.ranks) - 1, transfers);
}

constexpr Parameter kLateJoinParameters[] = {
    {"segments", 1, 8192, 128, "", "blocks that follow each other; best: sqrt((ceil(log2 P) - 1) n b/a)"},
    {"window", 1, 64, 1, "", "receives posted ahead, per lane; more than 1 lets rounds fall out of step"},
    kPacing,
    {"flagged", 0, 1, 0, "", "1 = the late rank is named by flags in each call; 0 = predicted", {}, "announced"}};

}  // namespace

constexpr Algorithm kLateJoinRow{
    .id = 8,
    .name = "late_join",
    .what =
        "lets the early ranks combine among themselves while they wait; the latest rank's blocks then go out in a "
        "broadcast of the fewest rounds, and are added to the early ranks' sums on the way.",
    .trade_off =
        "with the table sorted, about one vector's time after one late rank, for any P; slower than the ring "
        "when nobody is late",
    .parameters = kLateJoinParameters,
    .keeps_rank_order = false,
    .uses_arrivals = false,
    .build = buildLateJoin,
    .max_steps = lateJoinSteps,
    .keeps_in_step = always,
    .work_bytes = lateJoinWorkBytes,
    .best_segments = bestLateJoinSegments,
    .valid_text = kAnyShape,
    .cost =
        "(S - 1 + ceil(log2 P)) (a + n b/S + n g/S) after the last arrival when sorted by it; about 2 (S + log2 P) "
        "of these when nobody is late",
    .source =
        "own, on the broadcast rounds of Traff 2024 (arXiv 2407.18004); for one late rank and P - 1 blocks "
        "StragglAR 2025 (arXiv 2505.23523)",
    .openmpi_nearest = "ring"};

}  // namespace starling
