#include "store/row_costs.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace starling {
namespace {

constexpr std::string_view kSeparator = "; ";
// Nobody is off by more than that; whatever is so far off tells nothing.
constexpr double kMost = 1e6;

// Takes what stands before the separator, and the separator, from the text.
std::string_view takeUntil(std::string_view& text, std::string_view separator) {
  const std::size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + separator.size());
  return taken;
}

bool isFactor(double number) { return number > 0.0 && number <= kMost; }

// Reads a factor. Empty: it is none.
std::optional<double> readFactor(std::string_view text) {
  double number = 0.0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = fault == std::errc{} && end == text.data() + text.size();
  return is_number && isFactor(number) ? std::optional(number) : std::nullopt;
}

std::optional<RowCost> readRow(std::string_view text) {
  const std::string_view row = takeUntil(text, " ");
  const std::optional<double> times = readFactor(takeUntil(text, " "));
  const std::optional<double> error = readFactor(text);
  if (row.empty() || !times || !error) return std::nullopt;
  return RowCost{std::string(row), *times, *error};
}

}  // namespace

std::string formatRowCosts(std::span<const RowCost> costs) {
  std::string text;
  for (const RowCost& cost : costs) {
    if (!isFactor(cost.times) || !isFactor(cost.error)) continue;
    text += fmt::format("{}{} {:.4g} {:.4g}", text.empty() ? "" : kSeparator, cost.row, cost.times, cost.error);
  }
  return text;
}

Result<std::vector<RowCost>> parseRowCosts(std::string_view text) {
  std::vector<RowCost> costs;
  while (!text.empty()) {
    const std::string_view part = takeUntil(text, kSeparator);
    const std::optional<RowCost> cost = readRow(part);
    if (!cost) {
      return Status::error(fmt::format(
          "is \"{}\" there; expected an algorithm, how many times as long as predicted it takes, and the error "
          "of that, as in \"ring 1.21 0.3; slt:flagged=1 0.87 0.1\"",
          part));
    }
    costs.push_back(*cost);
  }
  return costs;
}

}  // namespace starling
