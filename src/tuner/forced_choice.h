// What the options say all calls are to run.
#pragma once

#include "algos/catalogue.h"
#include "base/options.h"
#include "base/status.h"

namespace starling {

// STARLING_ALGORITHM. In reproducible mode only a row of the one fixed association: recursive_doubling where it names
// another or none. Errors: it is not understood. REQUIRES: an algorithm is named, or the mode is reproducible.
Result<Choice> forcedChoice(const Options& options);

// What reproducible mode runs where nothing better is known or possible: it needs the least memory.
Choice leastReproducible();

}  // namespace starling
