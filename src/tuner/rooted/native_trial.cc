#include "tuner/rooted/native_trial.h"

#include <algorithm>
#include <utility>

namespace starling {
namespace {

constexpr std::int32_t kLongestInterval = 512;  // periods
constexpr std::int32_t kMaxUnsettled = 8;       // a table that never settles is compared as it is

// Returns whether a duration is longer by more than noise.
bool isLonger(std::int64_t duration_ns, std::int64_t than_ns) { return duration_ns > than_ns + than_ns / 10; }

}  // namespace

void NativeTrial::endPeriod(std::optional<std::int64_t> duration_ns, bool has_changed) {
  if (duration_ns) durationOf(closed_) = *duration_ns;
  closed_ = running_;
  const bool was_stale = std::exchange(is_stale_, has_changed);
  if (compares_) {
    compare(!has_changed && !was_stale);
  } else if (--until_trial_ == 0 || isOvertaken()) {
    startTrial();
  }
}

// Compares with what is known of the other way, since a pattern may have changed that the way in force was not made
// for.
bool NativeTrial::isOvertaken() {
  const std::optional<std::int64_t>& in_force = durationOf(preferred_);
  const std::optional<std::int64_t>& alternative = durationOf(other());
  return in_force && alternative && isLonger(*in_force, *alternative);
}

void NativeTrial::compare(bool is_settled) {
  running_ = Way::kTuned;  // so that its duration is known when it has settled
  if (!native_ns_ || !tuned_ns_) return;
  if (!is_settled && ++unsettled_ < kMaxUnsettled) return;
  preferred_ = isLonger(*tuned_ns_, *native_ns_) ? Way::kNative : Way::kTuned;
  running_ = preferred_;
  compares_ = false;
  interval_ = std::min(2 * interval_, kLongestInterval);
  until_trial_ = interval_;
}

void NativeTrial::startTrial() {
  running_ = other();
  durationOf(running_).reset();
  compares_ = true;
  unsettled_ = 0;
}

}  // namespace starling
