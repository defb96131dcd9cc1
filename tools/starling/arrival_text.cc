#include "arrival_text.h"

#include <fmt/format.h>

#include "base/text_format.h"
#include "store/lateness_classes.h"

namespace starling::cli {

std::optional<double> shareLast(const RankArrival& rank) {
  if (!rank.last || rank.timed <= 0) return std::nullopt;
  return static_cast<double>(*rank.last) / static_cast<double>(rank.timed);
}

std::string wholePercent(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f}%", 100.0 * *share) : "-";
}

std::string classTitle(std::size_t index) {
  if (index < kLatenessBounds.size()) return "below " + formatDuration(kLatenessBounds[index]);
  return formatDuration(kLatenessBounds.back()) + " or more";
}

}  // namespace starling::cli
