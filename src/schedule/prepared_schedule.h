// A schedule with what a run needs ready: steps by lane and kind, what waits for what, and the room that it wants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "schedule/schedule.h"

namespace starling {

// Holds a schedule and these lists, for which it takes its memory where the schedule does. THREADS: const after
// construction.
class PreparedSchedule {
 public:
  explicit PreparedSchedule(Schedule schedule);

  const Schedule& schedule() const { return schedule_; }
  // These return steps in program order.
  std::span<const std::uint32_t> sendsOf(std::size_t lane) const { return queues_[lane].sends; }
  std::span<const std::uint32_t> receivesOf(std::size_t lane) const { return queues_[lane].receives; }  // and reduces
  std::span<const std::uint32_t> dependentsOf(std::uint32_t step) const {
    return std::span(dependents_).subspan(first_dependent_[step], first_dependent_[step + 1] - first_dependent_[step]);
  }
  // Returns the kCombine steps that wait for no other step.
  std::span<const std::uint32_t> independentCombines() const { return independent_combines_; }

  // These count elements of scratch: those of all side slots, and those of the largest block that is received to be
  // reduced.
  std::int64_t sideElements() const { return schedule_.side_slots * schedule_.side_extent.count; }
  std::int64_t largestReduction() const { return largest_reduction_; }
  // Returns the elements of scratch without which the schedule cannot run.
  std::int64_t leastScratch() const { return sideElements() + largest_reduction_; }

  // These are upper bounds: of messages in flight, of those among them that are to be reduced, and of kCombine steps.
  std::size_t maxFlights() const { return max_flights_; }
  std::int32_t landings() const { return landings_; }
  std::size_t combines() const { return combines_; }

  // Returns how many bytes the executor may use to run it.
  std::int64_t runBytes() const;
  static constexpr std::int64_t kRunBytesPerStep = 4;
  static constexpr std::int64_t kRunBytesPerFlight = 16;
  static constexpr std::int64_t kRunBytesPerCombine = 8;
  static constexpr std::int64_t kRunBytesPerLanding = 20;

  // Returns how many bytes it has beside itself, the schedule included.
  std::int64_t bytes() const;

  // Returns how many bytes it takes at most, beside the schedule, to prepare and run a schedule of so many steps. Where
  // it has side slots, all its messages may be in flight at once.
  static std::int64_t bytesFor(std::int64_t steps, bool has_side_slots);

 private:
  struct Queue {
    explicit Queue(std::pmr::memory_resource* memory) : sends(memory), receives(memory) {}

    std::pmr::vector<std::uint32_t> sends;
    std::pmr::vector<std::uint32_t> receives;
  };

  void fillQueues();
  void linkDependents();

  Schedule schedule_;
  std::array<Queue, kMaxLanes> queues_;
  std::pmr::vector<std::uint32_t> first_dependent_;  // by step, into dependents_; one more than there are steps
  std::pmr::vector<std::uint32_t> dependents_;
  std::pmr::vector<std::uint32_t> independent_combines_;
  std::int64_t largest_reduction_ = 0;
  std::int32_t landings_ = 0;
  std::size_t max_flights_ = 0;
  std::size_t combines_ = 0;
};

}  // namespace starling
