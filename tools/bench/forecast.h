// What a plan is told about the pattern.
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

// Errors: none of the first four.
Result<Predict> parsePredict(std::string_view text);
const char* predictName(Predict predict);

// What a plan needs: equal on all ranks.
struct Forecast {
  std::vector<std::int32_t> table;        // virtual rank -> rank, by rising lateness
  std::vector<std::int64_t> lateness_ns;  // by virtual rank
};

// `expected` is the lateness by rank that the plan is to believe in; latenesses within `noise` of the earliest count as
// on time.
Forecast forecastOf(std::span<const Seconds> expected, Seconds noise);

// The same with the identity table, which keeps the order of operands where it matters.
Forecast inRankOrder(const Forecast& forecast);

// The latenesses that kWrong tells: those of other ranks.
std::vector<Seconds> misplaced(std::span<const Seconds> lateness);

}  // namespace starling::bench
