#include "summary.h"

#include <algorithm>
#include <cmath>

namespace starling::bench {
namespace {

Seconds meanOf(std::span<const Seconds> values) {
  Seconds sum;
  for (const Seconds value : values) sum += value;
  return {sum.value / static_cast<double>(values.size())};
}

}  // namespace

Distribution distributionOf(std::vector<Seconds> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  Distribution distribution;
  distribution.mean = meanOf(values);
  distribution.minimum = values.front();
  distribution.median =
      values.size() % 2 == 1 ? values[middle] : Seconds{(values[middle - 1].value + values[middle].value) / 2};
  const auto rank = static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(values.size())));
  distribution.p99 = values[rank - 1];
  return distribution;
}

CallTimes callTimes(std::span<const Seconds> arrivals, std::span<const Seconds> exits) {
  const Seconds mean_exit = meanOf(exits);
  return {mean_exit - meanOf(arrivals), mean_exit - *std::max_element(arrivals.begin(), arrivals.end())};
}

std::vector<PhaseSum> sumsOfPhases(std::span<const Phase> phases, std::span<const Seconds> post_arrival) {
  std::vector<PhaseSum> sums;
  for (const Phase& phase : phases) sums.push_back({phase.name, {}});
  for (std::size_t call = 0; call < post_arrival.size(); ++call) {
    sums[phaseOfCall(call, post_arrival.size(), phases.size())].post_arrival += post_arrival[call];
  }
  return sums;
}

void relateToRing(std::span<Summary> summaries, const std::optional<double>& beta_ns) {
  // The ring with its defaults is preferred to one with parameters.
  const auto named = [&summaries](std::string Summary::*name) {
    return std::find_if(summaries.begin(), summaries.end(),
                        [name](const Summary& summary) { return summary.*name == "ring"; });
  };
  auto ring = named(&Summary::choice);
  if (ring == summaries.end()) ring = named(&Summary::algorithm);
  if (ring == summaries.end()) return;
  const Seconds ring_time = ring->post_arrival.mean;
  for (Summary& summary : summaries) {
    const Seconds time = summary.post_arrival.mean;
    if (time.value > 0.0) summary.ratio_to_ring = ring_time / time;
    if (!beta_ns) continue;
    const Seconds saving = ring_time - Seconds{1e-9 * *beta_ns * static_cast<double>(summary.bytes)};
    if (saving.value > 0.0) summary.share_of_saving = (ring_time - time) / saving;
  }
}

}  // namespace starling::bench
