// Decides whether the calls of one kind are better left to the MPI library.
#pragma once

#include <cstdint>
#include <optional>

namespace starling {

// Calls come in periods, and all calls of a period go one way: native, or tuned. How long a period took is known at the
// end of the next one. The first period is native; then calls are tuned until both ways are known and the tuned one has
// found its table or tree; then the MPI library takes over if it is faster by more than noise. Both ways are compared
// anew when the way in force takes longer than what is known of the other, and in any case from time to time, ever more
// seldom.
//
// The decision is a pure function of whole numbers that the ranks agree on, so all ranks go the same way. THREADS: one.
class NativeTrial {
 public:
  // Returns the way of the running period.
  bool isNative() const { return running_ == Way::kNative; }

  // Is called when the running period has ended. `duration_ns` tells how long calls took in the period before it,
  // summed up over the ranks; it is empty when there was no such period. `has_changed` says that tuned calls of the
  // periods to come may take another time.
  void endPeriod(std::optional<std::int64_t> duration_ns, bool has_changed);

 private:
  enum class Way : std::uint8_t { kNative, kTuned };

  std::optional<std::int64_t>& durationOf(Way way) { return way == Way::kNative ? native_ns_ : tuned_ns_; }
  Way other() const { return preferred_ == Way::kNative ? Way::kTuned : Way::kNative; }
  bool isOvertaken();
  void compare(bool is_settled);
  void startTrial();

  Way running_ = Way::kNative;
  Way closed_ = Way::kNative;  // in the period before
  Way preferred_ = Way::kTuned;
  std::optional<std::int64_t> native_ns_;  // the latest known
  std::optional<std::int64_t> tuned_ns_;
  bool compares_ = true;
  bool is_stale_ = false;         // the next duration was measured before the latest change
  std::int32_t unsettled_ = 0;    // ends of periods since the trial began
  std::int32_t interval_ = 8;     // periods between two trials
  std::int32_t until_trial_ = 0;  // periods
};

}  // namespace starling
