// Sorts latenesses into the classes that histograms count.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/units.h"

namespace starling {

// These bounds divide the classes, two in each power of ten. A lateness that equals a bound lies in the class above it.
inline constexpr std::array<Seconds, 14> kLatenessBounds{
    {{1e-6}, {3e-6}, {1e-5}, {3e-5}, {1e-4}, {3e-4}, {1e-3}, {3e-3}, {1e-2}, {3e-2}, {1e-1}, {3e-1}, {1e0}, {3e0}}};
inline constexpr std::size_t kLatenessClasses = kLatenessBounds.size() + 1;

// Returns the class of a lateness, from 0 to kLatenessClasses - 1.
inline std::size_t latenessClass(Seconds lateness) {
  return static_cast<std::size_t>(std::upper_bound(kLatenessBounds.begin(), kLatenessBounds.end(), lateness) -
                                  kLatenessBounds.begin());
}

}  // namespace starling
