// The arrival patterns that are imposed on the ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/units.h"

namespace starling::bench {

enum class PatternKind : std::uint8_t {
  kNone,      // all on time
  kOneLate,   // one rank, by the whole delay (Proficz 2018, section 5.1)
  kAnyLate,   // one rank by the whole delay, another in each call
  kRandLate,  // every rank by a uniform part of the delay, anew for each call (Proficz 2018, section 5.1)
  kLate,      // K ranks together, by the whole delay
  kGamma,     // every rank, gamma distributed with shape 2 and the delay as mean, anew (Marendic 2012, 5.6)
  kGaussian,  // every rank, normal with the delay as mean and a quarter of it as deviation, never early, anew
  kRamp,      // rank r by r / (P - 1) of the delay
  kAlternate  // odd ranks, by the whole delay
};

struct Pattern {
  PatternKind kind = PatternKind::kNone;
  std::int32_t late_ranks = 1;  // how many ranks are late in kLate

  bool operator==(const Pattern&) const = default;
};

// Understands "none", "one-late", "any-late", "rand-late", "late:K", "gamma", "gaussian", "ramp" and "alternate".
Result<Pattern> parsePattern(std::string_view text);
std::string formatPattern(const Pattern& pattern);

// Returns whether every call has other latenesses.
bool isRandom(const Pattern& pattern);

// Returns the lateness by rank in one call: a pure function, equal on all ranks. The late ranks of kOneLate and kLate
// begin with rank `first_late % ranks` and go upwards, round the end.
std::vector<Seconds> latenesses(const Pattern& pattern, std::int32_t ranks, Seconds delay, std::int32_t first_late,
                                std::uint64_t seed);

}  // namespace starling::bench
