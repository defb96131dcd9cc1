#include "base/duration_text.h"

#include <fmt/format.h>

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

}  // namespace starling
