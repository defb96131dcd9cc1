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

CallTimes timesOf(const SampledCall& call, bool clocks_agree) {
  CallTimes times;
  const Seconds mean_exit = meanOf(call.exits);
  times.elapsed = mean_exit - meanOf(call.arrivals);
  if (!clocks_agree) {
    times.compared = times.elapsed;
    times.net = shortestElapsed(call);
    return times;
  }
  const auto [earliest, latest] = std::minmax_element(call.arrivals.begin(), call.arrivals.end());
  times.compared = times.net = mean_exit - *latest;
  times.imbalance = *latest - *earliest;
  times.lateness.reserve(call.arrivals.size());
  for (const Seconds arrival : call.arrivals) times.lateness.push_back(arrival - *earliest);
  return times;
}

}  // namespace starling
