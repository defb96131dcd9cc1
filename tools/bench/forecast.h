// What a plan is told about the arrival pattern.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/units.h"

namespace starling::bench {

enum class Predict : std::uint8_t {
  kPerfect,   // the pattern itself
  kNone,      // all ranks on time
  kWrong,     // the pattern, but of other ranks: each has the lateness of the one half the communicator away
  kLearned,   // what an ArrivalPredictor makes of the calls before
  kAnnounced  // what the ranks announce in the middle of their computation: `tuned` only
};

// Understands the first four; any other word is an error.
Result<Predict> parsePredict(std::string_view text);
const char* predictName(Predict predict);

// What a plan needs to know of the pattern, equal on all ranks.
struct Forecast {
  std::vector<std::int32_t> table;        // virtual rank -> rank, by rising lateness
  std::vector<std::int64_t> lateness_ns;  // by virtual rank
};

// Makes the forecast of a plan that believes in `expected`, the lateness by rank; latenesses within `noise` of the
// earliest count as on time.
Forecast forecastOf(std::span<const Seconds> expected, Seconds noise);

// Makes the same forecast with the identity table, which keeps the order of operands where it matters.
Forecast inRankOrder(const Forecast& forecast);

// Returns the latenesses that kWrong tells, which are those of other ranks.
std::vector<Seconds> misplaced(std::span<const Seconds> lateness);

}  // namespace starling::bench
