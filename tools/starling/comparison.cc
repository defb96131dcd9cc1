#include "comparison.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text_format.h"

namespace starling::cli {

std::string gainOf(const KeyRecord& key) {
  return key.choice == kNativeName ? formatRatio(key.gain) : formatGain(key.gain, key.gain_error);
}

bool mayBeChance(const std::optional<double>& gain, const std::optional<double>& error) {
  return gain && error && 2.0 * *error >= std::abs(*gain - 1.0);
}

bool isComparedByElapsed(const ComparedBy& compared_by) { return compared_by == kByElapsed; }

std::string comparedTime(const ComparedBy& compared_by) {
  if (!compared_by) return "time";
  return isComparedByElapsed(compared_by) ? "mean elapsed time" : "post-arrival time";
}

std::string whyNoArrivals(const ComparedBy& compared_by) {
  return isComparedByElapsed(compared_by)
             ? "Which rank comes late is not known, because the clocks of these ranks cannot be compared."
             : "No arrivals were recorded.";
}

std::string clockNote(const std::optional<double>& clock_error) {
  if (!clock_error || *clock_error <= 0.0) return "";
  return fmt::format("The ranks' clocks agree within {0}; who came later than the first by less counts as on time.",
                     formatDuration(clock_error));
}

std::string comparisonNote(const ComparedBy& compared_by, const std::string& whose) {
  if (compared_by == kByPostArrival) return "";
  if (isComparedByElapsed(compared_by)) {
    return whose +
           "The clocks of the ranks cannot be compared: who is late is told by how long each rank was in a call, where "
           "it is by more than twice what that takes. Candidates are compared by the shortest time of a rank; gains "
           "and times that are shown are those of means over ranks, which include waiting for late ones.";
  }
  return whose +
         "Whether candidates were compared by post-arrival time or by mean elapsed time is not recorded. An older "
         "Starling wrote this database; the next run that writes to it tells.";
}

}  // namespace starling::cli
