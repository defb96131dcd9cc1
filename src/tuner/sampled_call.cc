#include "tuner/sampled_call.h"

#include <algorithm>
#include <limits>

namespace starling {
namespace {

// Ranks leave a call within about so many times what it takes the rank that is there for the least time: that one may
// have found all messages waiting for it.
constexpr double kExitSpread = 2.0;
// A call that takes longer than so many times what is usual was held up, which says nothing of when ranks leave it.
constexpr double kHeldUp = 2.0;

// Returns the time from the first arrival to that of a rank, which came so many steps before the last one.
std::int64_t latenessNs(const CallSummary& call, const CallSummary::Named& named) {
  const std::int64_t span_ns = call.latestNs() - call.earliestNs();
  if (named.before_latest == std::numeric_limits<std::uint32_t>::max()) return 0;
  return std::clamp<std::int64_t>(span_ns - named.before_latest * CallSummary::kStepNs, 0, span_ns);
}

// Latenesses are right within `error_ns`.
ArrivalPattern patternOf(const CallSummary& call, std::int64_t error_ns) {
  const auto known = [error_ns](std::int64_t lateness_ns) {
    return lateness_ns > error_ns ? fromNanoseconds(lateness_ns) : Seconds{};
  };
  ArrivalPattern pattern;
  pattern.ranks = call.ranks();
  std::int64_t sum_ns = call.ranks() * (call.latestNs() - call.earliestNs()) - call.waitedNs();
  for (const CallSummary::Named& named : call.named()) {
    const std::int64_t lateness_ns = latenessNs(call, named);
    sum_ns -= lateness_ns;
    pattern.latest.push_back({named.rank, known(lateness_ns)});
  }
  const auto others = call.ranks() - static_cast<std::int64_t>(call.named().size());
  if (others > 0) pattern.others = known(std::max<std::int64_t>(sum_ns, 0) / others);
  return pattern;
}

}  // namespace

CallTimes timesOf(const CallSummary& call, bool stamps_compare, const std::optional<Seconds>& usual_net) {
  const auto mean = [&call](std::int64_t sum_ns) {
    return Seconds{fromNanoseconds(sum_ns).value / static_cast<double>(call.ranks())};
  };
  CallTimes times;
  times.elapsed = mean(call.elapsedNs());
  if (!stamps_compare) {
    times.compared = times.elapsed;
    times.net = fromNanoseconds(call.shortestNs());
    const Seconds takes = usual_net ? std::min(times.net, kHeldUp * *usual_net) : times.net;
    times.pattern = patternOf(call, toNanoseconds(kExitSpread * takes));
    times.imbalance = times.pattern.latest.front().lateness;
    return times;
  }
  times.pattern = patternOf(call, call.errorNs());
  times.imbalance = times.pattern.latest.front().lateness;
  times.clock_error = fromNanoseconds(call.errorNs());
  const bool is_late = times.imbalance > Seconds{};
  times.compared = times.net = is_late ? mean(call.elapsedNs() - call.waitedNs()) : times.elapsed;
  if (is_late) times.compared_error = times.clock_error;
  return times;
}

}  // namespace starling
