// A schedule says what one rank does in one collective call, as pure data.
//
// Every rank holds a work vector of `count` elements: slot 0. In an allreduce it starts as the rank's input and ends as
// the result; in a broadcast only the root's starts defined, and all end as that; in a reduction only the root's ends
// as the result: ranks that only send keep theirs as it is, and all others end undefined. A rank may also have side
// slots, 1 to `Schedule::side_slots`, which hold other ranks' values of the elements in `Schedule::side_extent` and
// start undefined. Steps move and combine blocks of elements; which slot of its own a step touches is the rank's
// affair, a message names the elements only. Peers are virtual ranks; the executor maps them through the virtual-rank
// table.
//
// Order of execution. Each step waits for its dependencies; a kReduce waits with combining only: its message is taken
// into scratch before, so that two ranks can exchange the same block. Sends of one lane start in program order, and at
// most pacingOf() of them are in flight; in a `synchronous` lane a send is in flight until its message is taken.
// Receives and reduces of one lane start in program order, too, and together at most windowOf() of them are in flight
// (a reduce until it is combined). Lanes, and the two directions, do not wait for one another; a kCombine waits for its
// dependencies alone. The verifier proves every schedule free of deadlock for a window and a pacing of one and
// unbuffered sends; more of either only starts steps earlier.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

namespace starling {

// A range of elements of the work vector.
struct Block {
  std::int64_t offset = 0;
  std::int64_t count = 0;

  bool operator==(const Block&) const = default;
};

enum class StepKind : std::uint8_t {
  kSend,     // block of the work vector -> peer
  kReceive,  // peer -> block of the work vector, overwriting it
  kReduce,   // peer -> scratch, then combined into the block
  kCombine,  // the block of slot `source_slot`, combined into that of `slot` and undefined from then on; no message
};

// Tells how kReduce and kCombine combine: (incoming op local) or (local op incoming).
enum class OperandOrder : std::uint8_t { kIncomingLeft, kIncomingRight };

struct Step {
  StepKind kind = StepKind::kSend;
  OperandOrder order = OperandOrder::kIncomingLeft;
  std::uint8_t lane = 0;               // < kMaxLanes
  std::int32_t peer = 0;               // virtual rank; of kCombine: none, 0
  std::int32_t tag = 0;                // in [0, Schedule::tag_span); unique per sender and receiver within one call
  std::int32_t slot = 0;               // that is read (kSend) or written
  std::int32_t source_slot = 0;        // of kCombine: that is read
  std::uint32_t first_dependency = 0;  // index into Schedule::dependencies
  std::uint32_t dependency_count = 0;
  Block block;

  bool operator==(const Step&) const = default;
};

inline constexpr int kMaxLanes = 4;
inline bool isMessage(const Step& step) { return step.kind != StepKind::kCombine; }

// Only this lane reduces: beside side slots, scratch for one block of the work vector is then enough.
inline constexpr std::uint8_t kReduceLane = 0;

// A block that one rank of a node has for all of them.
struct OwnedBlock {
  std::int32_t owner = 0;  // virtual rank
  Block block;

  bool operator==(const OwnedBlock&) const = default;
};

// One rank's place in one call.
struct Seat {
  std::int32_t ranks = 1;
  std::int32_t virtual_rank = 0;
  std::int64_t count = 0;  // elements of the work vector
};

// One rank's part of one call.
struct Schedule {
  std::int32_t ranks = 1;
  std::int32_t virtual_rank = 0;
  std::int64_t count = 0;                              // elements of the work vector
  std::int32_t tag_span = 1;                           // equal on all ranks
  std::int32_t window = 1;                             // receives and reduces in flight per lane
  std::array<std::int32_t, kMaxLanes> lane_windows{};  // the same of one lane, where not 0
  std::int32_t pacing = 1;                             // sends in flight per lane
  std::array<std::int32_t, kMaxLanes> lane_pacings{};  // the same of one lane, where not 0
  // Sends of the lane are in flight until the receiver takes them, so that no rank runs ahead of its partners where
  // messages are short enough to be buffered.
  std::array<bool, kMaxLanes> synchronous{};
  std::int32_t side_slots = 0;
  Block side_extent{};                           // elements that each side slot has
  std::pmr::vector<Step> steps;                  // no step has a block of zero elements
  std::pmr::vector<std::uint32_t> dependencies;  // indices of earlier steps
  // What the ranks of this one's node do through memory that they share. Each of these blocks, which make up the work
  // vector, is combined by its owner, whose steps go on with the result of the node; after them it is copied to the
  // others. A step waits for the elements that it touches. Empty: all is done by steps.
  std::pmr::vector<OwnedBlock> shares;
  // Elements: a share is made of chunks of so many. Steps of one chunk come before those of the next, and touch nothing
  // of another one, so that it can be handed out when they are done. 0: each share is one chunk.
  std::int64_t share_chunk = 0;

  std::span<const std::uint32_t> dependenciesOf(const Step& step) const {
    return std::span(dependencies).subspan(step.first_dependency, step.dependency_count);
  }
};

// Returns a schedule without steps, for builders; the memory of what is added later is taken from `memory`.
inline Schedule emptySchedule(const Seat& seat, std::pmr::memory_resource* memory) {
  return {.ranks = seat.ranks,
          .virtual_rank = seat.virtual_rank,
          .count = seat.count,
          .steps = std::pmr::vector<Step>(memory),
          .dependencies = std::pmr::vector<std::uint32_t>(memory),
          .shares = std::pmr::vector<OwnedBlock>(memory),
          .share_chunk = 0};
}

inline std::int32_t windowOf(const Schedule& schedule, std::size_t lane) {
  return schedule.lane_windows[lane] > 0 ? schedule.lane_windows[lane] : schedule.window;
}

inline std::int32_t pacingOf(const Schedule& schedule, std::size_t lane) {
  return schedule.lane_pacings[lane] > 0 ? schedule.lane_pacings[lane] : schedule.pacing;
}

// Returns how many elements the largest block has that is received to be reduced.
inline std::int64_t largestReduction(const Schedule& schedule) {
  std::int64_t largest = 0;
  for (const Step& step : schedule.steps) {
    if (step.kind == StepKind::kReduce) largest = std::max(largest, step.block.count);
  }
  return largest;
}

// Returns how many reduces are in flight at most with this window: they share scratch of the size of one work vector.
inline std::int32_t reducesInFlight(const Schedule& schedule, std::int32_t window) {
  const std::int64_t largest = largestReduction(schedule);
  return largest == 0 ? window : static_cast<std::int32_t>(std::min<std::int64_t>(window, schedule.count / largest));
}

}  // namespace starling
