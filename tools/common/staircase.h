// A pattern of arrivals that real programs have.
#pragma once

#include <array>
#include <cstddef>

namespace starling {

// Returns the lateness of a rank as a share of that of the latest: four groups of ranks come one after the other, as
// four ranks that trained a neural network did, in the same order nearly every time: 0, 6, 19 and 28 ms after the
// first. Fewer than four ranks are the last of these. REQUIRES: rank < ranks.
inline double staircaseStep(std::size_t rank, std::size_t ranks) {
  constexpr std::array kSteps{0.0, 6.0 / 28.0, 19.0 / 28.0, 1.0};
  return kSteps[ranks < kSteps.size() ? rank + kSteps.size() - ranks : kSteps.size() * rank / ranks];
}

}  // namespace starling
