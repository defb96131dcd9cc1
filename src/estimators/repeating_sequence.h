// Finds out that the calls of a sequence repeat: every 50th is unlike the others, or every other one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace starling {

// Says which calls of a sequence are special: by the index of the call, 0, 1, ..., modulo the period.
struct Cycle {
  static constexpr std::int32_t kLongest = 64;

  std::int32_t period = 0;    // calls, from 2 to kLongest; 0: the sequence does not repeat
  std::uint64_t special = 0;  // bit i: calls whose index is i modulo the period are special

  bool isNone() const { return period == 0; }
  bool isSpecial(std::int64_t index) const { return period > 0 && (special >> (index % period) & 1) != 0; }
  // Returns how many of the calls of a period are special.
  std::int32_t specialCalls() const;
  // Returns whether there is none, or some calls of a period are special and some are not.
  bool isSound() const;

  bool operator==(const Cycle&) const = default;
};

// Takes in of what kind each call was. The kind that most calls are of is the usual one, and all other calls are
// special. Each period forecasts every call before it is taken in: as the latest calls of the same place in the period
// were. The logarithm of how much more probable it makes what came than chance does, where special calls are as
// frequent as they are here, is the period's score. THREADS: not thread-safe; one owner.
class RepeatingSequence {
 public:
  static constexpr std::size_t kKinds = 8;

  RepeatingSequence();

  // Takes in the call `index`, of a kind below kKinds. Calls between it and the one before may be unknown; where it
  // does not come after the one before, a new sequence begins.
  void observe(std::int64_t index, std::uint8_t kind);
  // Begins a new sequence.
  void forget();

  // Returns the cycle that is believed in, because its score is high, and its special calls have come at least three
  // times each as they were forecast. It is dropped where forecasts fail.
  const Cycle& cycle() const { return cycle_; }
  // Says whether the call after the latest one, or a later one, will be special, by the period with the highest score;
  // empty where no period has one.
  std::optional<bool> forecast(std::int64_t index) const;
  std::uint8_t usualKind() const { return usual_; }

 private:
  static constexpr std::int64_t kRemembered = 512;  // calls
  static constexpr std::uint8_t kUnknown = 0xff;

  struct Candidate {
    double score = 0.0;               // bits
    std::int32_t right_specials = 0;  // since the score was 0
  };

  std::uint8_t& kindOf(std::int64_t index) { return kinds_[static_cast<std::size_t>(index % kRemembered)]; }
  std::uint8_t kindOf(std::int64_t index) const { return kinds_[static_cast<std::size_t>(index % kRemembered)]; }
  bool isSpecialKind(std::uint8_t kind) const { return kind != usual_; }
  void remember(std::int64_t index, std::uint8_t kind);
  bool changesUsual(std::uint8_t kind);
  void score(std::int64_t index, bool is_special);
  void scoreAnew();  // by the latest calls
  std::int32_t findBest() const;
  std::optional<bool> forecastBy(std::int32_t period, std::int64_t index) const;
  Cycle cycleOf(std::int32_t period) const;
  bool isProved(const Cycle& cycle) const;
  void believe();

  std::array<std::uint8_t, kRemembered> kinds_;            // of the latest calls, by index modulo kRemembered
  std::array<std::int32_t, kKinds> counts_;                // of the latest calls, by kind
  std::array<Candidate, Cycle::kLongest + 1> candidates_;  // by period
  std::int32_t best_ = 0;                                  // period, of these
  std::int64_t first_ = 0;                                 // index of the first call of the sequence
  std::int64_t latest_ = -1;                               // negative: there is none
  double known_ = 0.0;                                     // calls that count for how frequent special ones are
  double specials_ = 0.0;                                  // of these
  std::uint8_t usual_ = 0;
  Cycle cycle_;
};

}  // namespace starling
