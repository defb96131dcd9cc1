// Keeps the calls of a communicator's running epoch and of the one before, and the stamps of those that are sampled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "estimators/clock_model.h"
#include "mpi/sampled_time.h"
#include "tuner/communicator_tuner.h"
#include "tuner/epoch_lengths.h"

namespace starling {

// Tells when this rank entered and left a call.
struct CallStamps {
  std::int64_t arrival_ns = 0;
  std::int64_t exit_ns = 0;
};

// Which calls are sampled is equal on all ranks. THREADS: not thread-safe; one per communicator.
class EpochCalls {
 public:
  // The first epoch has `length` calls, and each epoch at most `max_samples` that are sampled; `rank` is this one.
  // Takes its memory from `memory`, which outlives it.
  EpochCalls(std::int32_t length, std::int32_t max_samples, std::int32_t rank, std::pmr::memory_resource* memory)
      : length_(length), max_samples_(max_samples), rank_(rank), open_(memory), closed_(memory) {}

  // Takes memory for the stamps. Throws std::bad_alloc where it is short.
  void reserve();

  // Sets the length of the running epoch and of those that follow it.
  void setLength(std::int32_t length) { length_ = length; }
  std::int32_t length() const { return std::min(length_, limit_); }
  // Returns what it was set to, without the limit.
  std::int32_t fullLength() const { return length_; }
  // Counts the calls of the running epoch that were added.
  std::int32_t made() const { return made_; }
  bool isFull() const { return made_ >= length(); }
  // Makes the running epoch and those that follow it no longer than this, until another limit is set.
  void setLimit(std::int32_t calls) { limit_ = calls; }

  // Returns whether the next call is to be stamped.
  bool isSampled(bool is_trial) const;

  // Returns for how many calls that are not stamped the time of the next one stands, those included that are not added;
  // 0: it is not to be timed. And notes it, with how long it took.
  std::int64_t weightOfUnstamped() const { return unstamped_.weightOfNext(); }
  void noteUnstamped(std::int64_t weight, std::int64_t took_ns) { unstamped_.add(weight, took_ns); }

  // Adds a call that was made, with its stamps if it was to be stamped. Throws std::bad_alloc where memory is short;
  // the call is then counted, but not among those that closed() will tell.
  void add(EpochCall call, const std::optional<CallStamps>& stamps);

  // Returns the calls of the running epoch that were added.
  std::span<const EpochCall> open() const { return open_; }
  // Ends the running epoch, whose calls closed() are from now on; returns what this rank knows of those that were
  // stamped, in times that compare with those of other ranks by `clock`; empty: none do. The first of them tells of
  // those, too, that were not stamped. It is good until the next close().
  std::span<const CallSummary> close(const std::optional<ClockModel>& clock);
  std::span<EpochCall> closed() { return closed_; }
  // Returns how many bytes the running epoch takes at most.
  std::size_t growthBytes() const { return 3 * sizeof(EpochCall) * static_cast<std::size_t>(length_); }
  // Returns the number of the closed epoch: 0, 1, ...
  std::int64_t closedEpoch() const { return epoch_ - 1; }

 private:
  std::int32_t length_;
  std::int32_t limit_ = EpochLengths::kNoLimit;
  std::int32_t max_samples_;
  std::int32_t rank_;
  std::int32_t made_ = 0;  // calls of the running epoch that were added
  std::int64_t epoch_ = 0;
  std::pmr::vector<EpochCall> open_;
  std::pmr::vector<EpochCall> closed_;
  std::vector<CallStamps> stamps_;  // of the running epoch
  std::vector<CallSummary> summaries_;
  // Timing takes less than a hundredth of the calls.
  static constexpr std::int64_t kTimedEach = 31;
  static constexpr std::int64_t kShortNs = 20'000;
  SampledTime unstamped_{0, kTimedEach, kShortNs};
};

}  // namespace starling
