#include "units_parse.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>

namespace starling::cli {
namespace {

template <typename Number>
struct NumberAndRest {
  bool found = false;
  Number number{};
  std::string_view rest;
};

template <typename Number>
NumberAndRest<Number> splitNumber(std::string_view text) {
  NumberAndRest<Number> split;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), split.number);
  split.found = fault == std::errc();
  split.rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return split;
}

template <typename Number>
struct UnitRow {
  std::string_view name;
  Number size;
};

}  // namespace

Result<std::int64_t> parseCount(std::string_view text) {
  static constexpr UnitRow<std::int64_t> kUnits[] = {
      {"", 1},           {"K", 1'000},      {"M", 1'000'000}, {"G", 1'000'000'000},
      {"Ki", 1LL << 10}, {"Mi", 1LL << 20}, {"Gi", 1LL << 30}};
  const auto split = splitNumber<std::int64_t>(text);
  if (!split.found || split.number < 0) {
    return Status::error(fmt::format("'{}' is not a count: write a whole number, as in 1000, 64Ki or 1M", text));
  }
  for (const auto& unit : kUnits) {
    if (split.rest != unit.name) continue;
    if (split.number > std::numeric_limits<std::int64_t>::max() / unit.size) {
      return Status::error(fmt::format("'{}' is too large a count", text));
    }
    return split.number * unit.size;
  }
  return Status::error(
      fmt::format("'{}' ends in an unknown multiplier '{}': use K, M, G, Ki, Mi or Gi", text, split.rest));
}

Result<Seconds> parseDuration(std::string_view text) {
  // The table has units in a second, because dividing rounds once, so that 25us is the double nearest to 25e-6.
  static constexpr UnitRow<double> kUnits[] = {{"ns", 1e9}, {"us", 1e6}, {"ms", 1e3}, {"s", 1.0}};
  const auto split = splitNumber<double>(text);
  if (!split.found || !std::isfinite(split.number) || split.number < 0.0) {
    return Status::error(fmt::format("'{}' is not a duration: write a number and a unit, as in 25us", text));
  }
  if (split.rest.empty()) {
    if (split.number == 0.0) return Seconds{0.0};
    return Status::error(fmt::format("'{}' has no unit: add ns, us, ms or s, as in {}us", text, text));
  }
  constexpr double kLongest = 7200.0;  // what simulated times are exact for
  for (const auto& unit : kUnits) {
    if (split.rest != unit.name) continue;
    if (split.number / unit.size <= kLongest) return Seconds{split.number / unit.size};
    return Status::error(fmt::format("'{}' is too long a duration: two hours, 7200s, are the most", text));
  }
  return Status::error(fmt::format("'{}' ends in an unknown unit '{}': use ns, us, ms or s", text, split.rest));
}

Result<std::int64_t> parseAge(std::string_view text) {
  static constexpr UnitRow<std::int64_t> kUnits[] = {{"m", 60}, {"h", 3600}, {"d", 86'400}, {"w", 604'800}};
  constexpr std::int64_t kOldest = 1'000'000;  // weeks: older than any file
  const auto split = splitNumber<std::int64_t>(text);
  for (const auto& unit : kUnits) {
    if (!split.found || split.number < 0 || split.rest != unit.name) continue;
    if (split.number <= kOldest) return split.number * unit.size;
    return Status::error(fmt::format("'{}' is too long an age", text));
  }
  return Status::error(fmt::format("'{}' is not an age: write a whole number and m, h, d or w, as in 30d", text));
}

}  // namespace starling::cli
