#include "base/text_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

namespace starling {

std::string formatThreeDigits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string formatDuration(Seconds duration) {
  struct Unit {
    double size;
    const char* name;
  };
  static constexpr std::array<Unit, 4> kUnits = {{{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1.0, "s"}}};
  if (!std::isfinite(duration.value)) return "-";
  if (duration.value == 0.0) return "0 s";
  if (duration.value < 0.0) return fmt::format("-{}", formatDuration(Seconds{-duration.value}));
  for (const Unit& unit : kUnits) {
    const double scaled = duration.value / unit.size;
    if (scaled < 999.5 || unit.size == 1.0) return formatThreeDigits(scaled) + " " + unit.name;
  }
  return "-";
}

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

std::string formatGain(const std::optional<double>& gain, const std::optional<double>& error) {
  if (!gain || !std::isfinite(*gain)) return formatRatio(gain);
  if (!error) return fmt::format("{:.{}f}x +- ?", *gain, *gain < 10.0 ? 1 : 0);
  const int decimals = *error < 0.1 ? 2 : *error < 1.0 ? 1 : 0;
  return fmt::format("{:.{}f}x +- {:.{}f}", *gain, decimals, *error, decimals);
}

std::string formatCount(std::int64_t number, std::string_view noun) {
  if (number == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with("cy")) return fmt::format("{} {}ies", number, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}s", number, noun);
}

std::string formatRankTable(const std::vector<std::int32_t>& table) {
  return table.empty() ? "identity" : fmt::format("{}", fmt::join(table, " "));
}

}  // namespace starling
