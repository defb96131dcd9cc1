#include "estimators/repeating_sequence.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace starling {
namespace {

constexpr double kWrongShare = 0.01;  // of forecasts by a true period: a call may be held up by chance
constexpr double kProof = 20.0;       // bits: chance alone reaches it with 63 periods in one of some 30,000 calls
constexpr double kMostScore = 30.0;   // bits, so that a cycle that ends is given up soon
constexpr double kDoubt = 8.0;        // bits: less than that is believed no longer
constexpr double kClearlyMore = 1.0;  // bits: multiples of a period forecast as well as the period does
constexpr std::int32_t kRepetitions = 3;
constexpr int kVotes = 3;  // the latest calls of one place, so that one that was held up by chance does not count

constexpr std::int32_t kCountedCalls = 128;  // for which kind is the usual one
constexpr double kFewSpecials = 0.5;         // none that is remembered
constexpr double kFrequencyCalls = 512.0;    // for how frequent special calls are

}  // namespace

std::int32_t Cycle::specialCalls() const { return std::popcount(special); }

bool Cycle::isSound() const {
  if (period == 0) return special == 0;
  if (period < 2 || period > kLongest) return false;
  const std::uint64_t all = ~std::uint64_t{0} >> (kLongest - period);
  return special != 0 && (special & ~all) == 0 && special != all;
}

RepeatingSequence::RepeatingSequence() { forget(); }

void RepeatingSequence::forget() {
  kinds_.fill(kUnknown);
  counts_.fill(0);
  candidates_.fill({});
  best_ = findBest();
  first_ = 0;
  latest_ = -1;
  known_ = specials_ = 0.0;
  usual_ = 0;
  cycle_ = {};
}

void RepeatingSequence::observe(std::int64_t index, std::uint8_t kind) {
  if (latest_ >= 0 && (index <= latest_ || index - latest_ >= kRemembered)) forget();
  if (latest_ < 0) {
    first_ = index;
    usual_ = kind;
  }
  const bool is_new_view = changesUsual(kind);
  if (!is_new_view && latest_ >= 0) score(index, isSpecialKind(kind));
  remember(index, kind);
  if (is_new_view) scoreAnew();
  believe();
}

void RepeatingSequence::scoreAnew() {
  candidates_.fill({});
  best_ = findBest();
  for (std::int64_t index = std::max(first_, latest_ - kCountedCalls) + 1; index <= latest_; ++index) {
    if (kindOf(index) != kUnknown) score(index, isSpecialKind(kindOf(index)));
  }
}

void RepeatingSequence::remember(std::int64_t index, std::uint8_t kind) {
  for (std::int64_t between = std::max(latest_ + 1, first_); between < index; ++between) kindOf(between) = kUnknown;
  kindOf(index) = kind;
  latest_ = index;
  known_ += 1.0;
  specials_ += isSpecialKind(kind) ? 1.0 : 0.0;
  if (known_ < kFrequencyCalls) return;
  known_ /= 2.0;
  specials_ /= 2.0;
}

// Where another kind has become much more frequent all that was scored was about other calls, as is the cycle. Kinds
// that are about as frequent do not change places.
bool RepeatingSequence::changesUsual(std::uint8_t kind) {
  ++counts_[kind];
  if (std::accumulate(counts_.begin(), counts_.end(), 0) >= kCountedCalls) {
    for (std::int32_t& count : counts_) count /= 2;
  }
  if (kind == usual_ || counts_[kind] <= 2 * counts_[usual_] + 2) return false;
  usual_ = kind;
  cycle_ = {};
  known_ = specials_ = 0.0;
  for (const std::uint8_t one : kinds_) {
    if (one == kUnknown) continue;
    known_ += 1.0;
    specials_ += isSpecialKind(one) ? 1.0 : 0.0;
  }
  return true;
}

void RepeatingSequence::score(std::int64_t index, bool is_special) {
  // Most sequences have no special calls, and all periods forecast them alike.
  if (!is_special && specials_ < kFewSpecials) return;
  const double special_share = (specials_ + 0.5) / (known_ + 1.0);
  const double share = is_special ? special_share : 1.0 - special_share;
  const double right = std::log2((1.0 - kWrongShare) / share);
  const double wrong = std::log2(kWrongShare / share);
  for (std::int32_t period = 2; period <= Cycle::kLongest; ++period) {
    const std::optional<bool> forecast = forecastBy(period, index);
    if (!forecast) continue;
    Candidate& candidate = candidates_[static_cast<std::size_t>(period)];
    const bool is_right = *forecast == is_special;
    candidate.score = std::clamp(candidate.score + (is_right ? right : wrong), 0.0, kMostScore);
    if (candidate.score == 0.0)
      candidate.right_specials = 0;
    else if (is_right && is_special)
      ++candidate.right_specials;
  }
  best_ = findBest();
}

// Returns what most of the latest calls of that place were, and of two that differ the later one.
std::optional<bool> RepeatingSequence::forecastBy(std::int32_t period, std::int64_t index) const {
  const std::int64_t oldest = std::max(first_, latest_ - kRemembered + 1);
  int known = 0;
  int special = 0;
  bool is_latest_special = false;
  for (std::int64_t before = index - period; before >= oldest && known < kVotes; before -= period) {
    if (before > latest_ || kindOf(before) == kUnknown) continue;
    const bool is_special = isSpecialKind(kindOf(before));
    if (known == 0) is_latest_special = is_special;
    ++known;
    special += is_special ? 1 : 0;
  }
  if (known == 0) return std::nullopt;
  return 2 * special == known ? is_latest_special : 2 * special > known;
}

std::int32_t RepeatingSequence::findBest() const {
  std::int32_t best = 2;
  const auto score_of = [this](std::int32_t period) { return candidates_[static_cast<std::size_t>(period)].score; };
  for (std::int32_t period = 3; period <= Cycle::kLongest; ++period) {
    if (score_of(period) > score_of(best) + kClearlyMore) best = period;
  }
  return best;
}

std::optional<bool> RepeatingSequence::forecast(std::int64_t index) const {
  const std::int32_t period = cycle_.isNone() ? best_ : cycle_.period;
  if (latest_ < 0 || candidates_[static_cast<std::size_t>(period)].score <= 0.0) return std::nullopt;
  return forecastBy(period, index);
}

Cycle RepeatingSequence::cycleOf(std::int32_t period) const {
  Cycle cycle{.period = period};
  for (std::int64_t index = latest_ + 1; index <= latest_ + period; ++index) {
    const bool is_special = forecastBy(period, index).value_or(false);
    cycle.special |= std::uint64_t{is_special ? 1U : 0U} << (index % period);
  }
  return cycle;
}

bool RepeatingSequence::isProved(const Cycle& cycle) const {
  const Candidate& candidate = candidates_[static_cast<std::size_t>(cycle.period)];
  return candidate.score >= kProof && candidate.right_specials >= kRepetitions * cycle.specialCalls();
}

void RepeatingSequence::believe() {
  if (!cycle_.isNone() && candidates_[static_cast<std::size_t>(cycle_.period)].score < kDoubt) cycle_ = {};
  const std::int32_t period = cycle_.isNone() ? best_ : cycle_.period;
  const bool is_worth_a_look = !cycle_.isNone() || candidates_[static_cast<std::size_t>(period)].score >= kProof;
  if (!is_worth_a_look) return;
  const Cycle now = cycleOf(period);
  if (!now.isSound())
    cycle_ = {};
  else if (!cycle_.isNone() || isProved(now))
    cycle_ = now;
}

}  // namespace starling
