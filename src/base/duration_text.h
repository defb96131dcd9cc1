// Writes times as people read them: three significant digits and a unit.
#pragma once

#include <string>

#include "base/units.h"

namespace starling {

// Returns three significant digits of a value in [0, 1000).
std::string formatThreeDigits(double value);

// Returns "0 s", "25.0 us", "1.23 ms" or "50.1 s"; "-" when it is not a number.
std::string formatDuration(Seconds duration);

}  // namespace starling
