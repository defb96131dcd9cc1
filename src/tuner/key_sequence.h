// Finds out whether the arrivals of a key's calls repeat with their index.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"
#include "estimators/repeating_sequence.h"
#include "tuner/sampled_call.h"

namespace starling {

// Calls are of one kind when each rank comes about as late in them: latenesses differ by no more than half the largest,
// or by no more than what is noise beside the largest of the calls before. Of the kinds the latest few are remembered,
// each by the latest call that was of it. Nothing is looked for where all latenesses are noise.
// THREADS: not thread-safe; one per key.
class KeySequence {
 public:
  // Takes in the latenesses of the call `index` of the key, which are right within `clock_error`; `other_error` is by
  // how much the other methods forecast it wrong, where they did.
  void observe(std::int64_t index, const ArrivalPattern& pattern, Seconds clock_error,
               const std::optional<Seconds>& other_error);
  // Begins anew: calls were made that nobody has counted.
  void forget();

  // Returns the cycle that is believed in. One begins only where its forecasts are off by less than half of what those
  // of the other methods are, on average.
  const Cycle& cycle() const { return cycle_; }
  // Returns by how much forecasts were wrong on average, for the rank of which that was most: those by the index, and
  // those of the other methods.
  Seconds error() const { return error_; }
  Seconds otherError() const { return other_error_; }
  // Returns the latest pattern of a special call. REQUIRES: there is a cycle.
  const ArrivalPattern& special() const { return special_; }

 private:
  struct Kind {
    ArrivalPattern pattern;
    std::int64_t observed = -1;  // when: counted in calls; negative: never
  };

  std::uint8_t kindOf(const ArrivalPattern& pattern, Seconds noise);
  void scoreForecast(std::int64_t index, const ArrivalPattern& pattern, const std::optional<Seconds>& other_error);

  std::array<Kind, RepeatingSequence::kKinds> kinds_;
  RepeatingSequence sequence_;
  ArrivalPattern special_;
  Cycle cycle_;
  Seconds largest_;  // lateness of a rank, in the latest calls
  Seconds error_;
  Seconds other_error_;
  std::int64_t observations_ = 0;
  std::int64_t scored_ = 0;
};

// Says which calls are special: "every 50th call", "2 of every 5 calls". REQUIRES: there is a cycle.
std::string describe(const Cycle& cycle);

}  // namespace starling
