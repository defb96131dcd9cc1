// Draws simulated calls as text: what each rank does over time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simulator/simulator.h"

namespace starling::cli {

// One call as one algorithm makes it.
struct Drawing {
  std::string title;
  const SimulatedCall* call;  // not owned
};

// Returns what each virtual rank does from 0 to `end`, in `width` characters of equal time; formatTimeline() says what
// these mean. REQUIRES: width of 1 or more.
std::vector<std::string> timelineRows(const SimulatedCall& call, std::span<const Seconds> arrivals, Seconds end,
                                      std::size_t width);

// Returns drawings of the same call one below the other, all from the first arrival to the last exit of any of them, so
// that what stands below each other happens at the same time. Under each title there is one line per virtual rank, of
// `width` characters of equal time: '.' not arrived, 's' sends, 'r' receives, '+' receives and reduces, 'x' is s and r,
// 'X' is s and +, '-' waits, ' ' has left. A character shows all that happens within its time. `table` and `arrivals`
// are by virtual rank. REQUIRES: width of 1 or more.
std::string formatTimeline(std::span<const Drawing> drawings, std::span<const Seconds> arrivals,
                           std::span<const std::int32_t> table, std::size_t width);

// Returns one line per transfer, in order of their starts, with ranks (not virtual ranks) and element ranges.
std::string formatTransfers(const SimulatedCall& call, std::span<const std::int32_t> table);

}  // namespace starling::cli
