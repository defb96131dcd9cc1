#include "tuner/key_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

constexpr double kSameLateness = 0.5;  // share of the largest lateness by which calls of one kind may differ
// What is little beside the largest lateness of late is noise; that is forgotten by so much from call to call.
constexpr double kKeptLateness = 0.98;
constexpr double kMuchLess = 0.5;         // of the other methods' error, for a cycle to begin
constexpr std::int64_t kErrorCalls = 64;  // that errors remember

Seconds distance(Seconds a, Seconds b) { return {std::abs((a - b).value)}; }

Seconds latenessIn(const ArrivalPattern& pattern, std::int32_t rank) {
  const auto named = std::ranges::find(pattern.latest, rank, &RankLateness::rank);
  return named == pattern.latest.end() ? pattern.others : named->lateness;
}

Seconds latestOf(const ArrivalPattern& pattern) {
  return pattern.latest.empty() ? Seconds{} : pattern.latest.front().lateness;
}

// Returns by how much a rank's lateness differs, of that for which it is most.
Seconds distance(const ArrivalPattern& a, const ArrivalPattern& b) {
  Seconds greatest = distance(a.others, b.others);
  for (const RankLateness& one : a.latest)
    greatest = std::max(greatest, distance(one.lateness, latenessIn(b, one.rank)));
  for (const RankLateness& one : b.latest)
    greatest = std::max(greatest, distance(one.lateness, latenessIn(a, one.rank)));
  return greatest;
}

bool areAlike(const ArrivalPattern& a, const ArrivalPattern& b, Seconds noise) {
  return distance(a, b) <= std::max(kSameLateness * std::max(latestOf(a), latestOf(b)), noise);
}

const char* ordinalEnding(std::int32_t number) {
  const bool is_teen = number / 10 % 10 == 1;
  if (is_teen) return "th";
  return number % 10 == 1 ? "st" : number % 10 == 2 ? "nd" : number % 10 == 3 ? "rd" : "th";
}

}  // namespace

std::string describe(const Cycle& cycle) {
  if (cycle.specialCalls() > 1) return fmt::format("{} of every {} calls", cycle.specialCalls(), cycle.period);
  return cycle.period == 2 ? "every other call"
                           : fmt::format("every {}{} call", cycle.period, ordinalEnding(cycle.period));
}

void KeySequence::forget() {
  sequence_.forget();
  cycle_ = {};
  scored_ = 0;
}

void KeySequence::observe(std::int64_t index, const ArrivalPattern& pattern, Seconds clock_error,
                          const std::optional<Seconds>& other_error) {
  if (!pattern.isKnown()) return;
  largest_ = std::max(kKeptLateness * largest_, latestOf(pattern));
  const Seconds noise = std::max(orderingNoise(largest_), clock_error);
  if (largest_ <= noise) return;
  scoreForecast(index, pattern, other_error);
  const std::uint8_t kind = kindOf(pattern, noise);
  sequence_.observe(index, kind);
  if (kind != sequence_.usualKind()) special_ = pattern;
  const bool goes_on = !cycle_.isNone() || error_ < kMuchLess * other_error_;
  cycle_ = goes_on ? sequence_.cycle() : Cycle{};
}

// The kind that was seen least lately gives way to a new one, unless it is the usual one.
std::uint8_t KeySequence::kindOf(const ArrivalPattern& pattern, Seconds noise) {
  auto kind = std::ranges::find_if(
      kinds_, [&](const Kind& one) { return one.observed >= 0 && areAlike(one.pattern, pattern, noise); });
  if (kind == kinds_.end()) {
    const auto age = [&](const Kind& one) {
      const bool is_usual = &one == &kinds_[sequence_.usualKind()];
      return is_usual ? observations_ : one.observed;
    };
    kind = std::ranges::min_element(kinds_, {}, age);
  }
  *kind = {pattern, observations_++};
  return static_cast<std::uint8_t>(kind - kinds_.begin());
}

// A call is forecast to be as the latest one of its class was.
void KeySequence::scoreForecast(std::int64_t index, const ArrivalPattern& pattern,
                                const std::optional<Seconds>& other_error) {
  const std::optional<bool> is_special = sequence_.forecast(index);
  if (!is_special) {
    scored_ = 0;
    return;
  }
  const ArrivalPattern& forecast = *is_special ? special_ : kinds_[sequence_.usualKind()].pattern;
  const double share = 1.0 / static_cast<double>(std::min(++scored_, kErrorCalls));
  if (scored_ == 1) error_ = other_error_ = {};
  error_ += share * (distance(forecast, pattern) - error_);
  if (other_error) other_error_ += share * (*other_error - other_error_);
}

}  // namespace starling
