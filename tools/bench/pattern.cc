#include "pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "random.h"
#include "staircase.h"

namespace starling::bench {
namespace {

constexpr std::string_view kLatePrefix = "late:";
constexpr std::string_view kRecordedPrefix = "recorded:";

struct PatternName {
  std::string_view text;
  PatternKind kind;
};

constexpr PatternName kPatternNames[] = {{"none", PatternKind::kNone},           {"one-late", PatternKind::kOneLate},
                                         {"any-late", PatternKind::kAnyLate},    {"rand-late", PatternKind::kRandLate},
                                         {"gamma", PatternKind::kGamma},         {"gaussian", PatternKind::kGaussian},
                                         {"ramp", PatternKind::kRamp},           {"alternate", PatternKind::kAlternate},
                                         {"staircase", PatternKind::kStaircase}, {"phases", PatternKind::kPhases}};

// Draws from the gamma distribution with shape 2, which is that of the sum of two exponential variables.
double gamma2(Random& random, double mean) {
  return -0.5 * mean * (std::log(random.uniform()) + std::log(random.uniform()));
}

// Draws from the normal distribution (Box and Muller 1958).
double gaussian(Random& random, double mean, double deviation) {
  const double radius = std::sqrt(-2.0 * std::log(random.uniform()));
  return mean + deviation * radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

double randomLateness(PatternKind kind, double delay, Random& random) {
  switch (kind) {
    case PatternKind::kRandLate:
      return delay * random.uniform();
    case PatternKind::kGamma:
      return gamma2(random, delay);
    default:
      return std::max(0.0, gaussian(random, delay, delay / 4));
  }
}

double fixedLateness(const Pattern& pattern, std::int32_t rank, std::int32_t ranks, double delay,
                     std::int32_t first_late) {
  const std::int32_t behind_first = (rank - first_late % ranks + ranks) % ranks;
  switch (pattern.kind) {
    case PatternKind::kOneLate:
      return behind_first == 0 ? delay : 0.0;
    case PatternKind::kLate:
      return behind_first < pattern.late_ranks ? delay : 0.0;
    case PatternKind::kRamp:
      return ranks > 1 ? delay * rank / (ranks - 1) : 0.0;
    case PatternKind::kAlternate:
      return rank % 2 == 1 ? delay : 0.0;
    case PatternKind::kStaircase:
      return delay * staircaseStep(static_cast<std::size_t>(rank), static_cast<std::size_t>(ranks));
    default:
      return 0.0;
  }
}

// The name of a file may have colons; a site whose label has one is given by its number.
Result<Pattern> parseRecorded(std::string_view text) {
  const std::string_view rest = text.substr(kRecordedPrefix.size());
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == rest.size()) {
    return Status::error(fmt::format(
        "'{}' names no site of a tuning database: write recorded:DATABASE:SITE, as in recorded:tuning.db:3", text));
  }
  return Pattern{PatternKind::kRecorded, 1, std::string(rest.substr(0, colon)), std::string(rest.substr(colon + 1))};
}

}  // namespace

Result<Pattern> parsePattern(std::string_view text) {
  std::string known = "late:K, recorded:DATABASE:SITE";
  for (const PatternName& name : kPatternNames) {
    if (text == name.text) return Pattern{name.kind};
    known += fmt::format(", {}", name.text);
  }
  if (text.starts_with(kRecordedPrefix)) return parseRecorded(text);
  if (text.starts_with(kLatePrefix)) {
    const std::string_view digits = text.substr(kLatePrefix.size());
    std::int32_t late_ranks = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), late_ranks);
    if (fault == std::errc() && end == digits.data() + digits.size() && late_ranks >= 1) {
      return Pattern{PatternKind::kLate, late_ranks};
    }
    return Status::error(fmt::format("'{}' names no number of late ranks: write late:2 for two", text));
  }
  return Status::error(fmt::format("there is no pattern '{}': use one of {}", text, known));
}

std::string formatPattern(const Pattern& pattern) {
  if (pattern.kind == PatternKind::kLate) return fmt::format("{}{}", kLatePrefix, pattern.late_ranks);
  if (pattern.kind == PatternKind::kRecorded) {
    return fmt::format("{}{}:{}", kRecordedPrefix, pattern.database, pattern.site);
  }
  const auto* name = std::find_if(std::begin(kPatternNames), std::end(kPatternNames),
                                  [&pattern](const PatternName& row) { return row.kind == pattern.kind; });
  return std::string(name->text);
}

bool isRandom(const Pattern& pattern) {
  return pattern.kind == PatternKind::kAnyLate || pattern.kind == PatternKind::kRandLate ||
         pattern.kind == PatternKind::kGamma || pattern.kind == PatternKind::kGaussian;
}

std::vector<Seconds> latenesses(const Pattern& pattern, std::int32_t ranks, Seconds delay, std::int32_t first_late,
                                std::uint64_t seed) {
  std::vector<Seconds> lateness;
  Random random(seed);
  if (pattern.kind == PatternKind::kAnyLate) {
    lateness.resize(static_cast<std::size_t>(ranks));
    const auto late = static_cast<std::size_t>(random.uniform() * ranks);
    lateness[std::min(late, lateness.size() - 1)] = delay;
    return lateness;
  }
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    lateness.push_back({isRandom(pattern) ? randomLateness(pattern.kind, delay.value, random)
                                          : fixedLateness(pattern, rank, ranks, delay.value, first_late)});
  }
  return lateness;
}

std::vector<Phase> phasesOf(const Pattern& pattern, std::int32_t ranks, std::int32_t first_late) {
  if (pattern.kind != PatternKind::kPhases) return {{"", pattern, first_late}};
  const std::int32_t first = first_late % ranks;
  const std::int32_t second = (first + ranks / 2) % ranks;
  return {{fmt::format("rank_{}", first), {PatternKind::kOneLate}, first},
          {fmt::format("rank_{}", second), {PatternKind::kOneLate}, second},
          {"nobody", {PatternKind::kNone}, first},
          {"any_rank", {PatternKind::kAnyLate}, first}};
}

std::size_t phaseOfCall(std::uint64_t call, std::uint64_t calls, std::size_t phases) {
  return call < calls ? static_cast<std::size_t>(call / (calls / phases)) : 0;
}

}  // namespace starling::bench
