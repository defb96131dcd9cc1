#include "text_format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace starling::cli {

std::string formatDuration(const std::optional<double>& seconds) {
  return seconds ? formatDuration(Seconds{*seconds}) : "-";
}

std::string formatBytes(Bytes bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  double scaled = static_cast<double>(bytes.value);
  std::size_t unit = 0;
  while (scaled >= 999.5 && unit + 1 < kUnits.size() && (unit > 0 || bytes.value >= 1024)) {
    scaled /= 1024.0;
    ++unit;
  }
  const std::string digits = scaled == std::floor(scaled) ? fmt::format("{:.0f}", scaled) : formatThreeDigits(scaled);
  return fmt::format("{} {}", digits, kUnits[unit]);
}

std::string formatRatio(const std::optional<double>& ratio) {
  return ratio && std::isfinite(*ratio) ? fmt::format("{:.2f}x", *ratio) : "-";
}

std::string formatCount(std::int64_t number, std::string_view noun) {
  if (number == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with("cy")) return fmt::format("{} {}ies", number, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}s", number, noun);
}

std::string formatRankTable(const std::vector<std::int32_t>& table) {
  return table.empty() ? "identity" : fmt::format("{}", fmt::join(table, " "));
}

}  // namespace starling::cli
