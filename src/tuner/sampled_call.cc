#include "tuner/sampled_call.h"

#include <algorithm>

namespace starling {
namespace {

Seconds meanOf(std::span<const Seconds> times) {
  Seconds sum;
  for (const Seconds time : times) sum += time;
  return {sum.value / static_cast<double>(times.size())};
}

Seconds shortestElapsed(const SampledCall& call) {
  Seconds shortest = call.exits[0] - call.arrivals[0];
  for (std::size_t rank = 1; rank < call.exits.size(); ++rank) {
    shortest = std::min(shortest, call.exits[rank] - call.arrivals[rank]);
  }
  return shortest;
}

}  // namespace

CallTimes timesOf(const SampledCall& call, std::optional<Seconds> clock_error) {
  CallTimes times;
  const Seconds mean_exit = meanOf(call.exits);
  times.elapsed = mean_exit - meanOf(call.arrivals);
  if (!clock_error) {
    times.compared = times.elapsed;
    times.net = shortestElapsed(call);
    return times;
  }
  const auto [earliest, latest] = std::minmax_element(call.arrivals.begin(), call.arrivals.end());
  const auto lateness = [&, first = *earliest](Seconds arrival) {
    return arrival - first > *clock_error ? arrival - first : Seconds{};
  };
  times.imbalance = lateness(*latest);
  const bool is_late = times.imbalance > Seconds{};
  times.compared = times.net = is_late ? mean_exit - *latest : times.elapsed;
  times.clock_error = *clock_error;
  if (is_late) times.compared_error = *clock_error;
  times.lateness.reserve(call.arrivals.size());
  for (const Seconds arrival : call.arrivals) times.lateness.push_back(lateness(arrival));
  return times;
}

}  // namespace starling
