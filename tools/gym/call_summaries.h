// The summary of one call, made of the stamps of all its ranks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.h"
#include "tuner/call_summary.h"

namespace starling::gym {

// Stamps are by rank, and right within `error`.
inline CallSummary summaryOf(std::span<const Seconds> arrivals, std::span<const Seconds> exits, Seconds error = {}) {
  const auto nanoseconds = [](Seconds time) { return static_cast<std::int64_t>(std::llround(time.value * 1e9)); };
  CallSummary sum;
  for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
    // The errors of two ranks add up: only the first has one.
    sum.add({static_cast<std::int32_t>(rank), nanoseconds(arrivals[rank]), nanoseconds(exits[rank]),
             rank == 0 ? nanoseconds(error) : 0});
  }
  return sum;
}

}  // namespace starling::gym
