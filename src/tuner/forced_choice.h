// Finds the algorithm that the options prescribe for all calls.
#pragma once

#include "algos/catalogue.h"
#include "base/options.h"
#include "base/status.h"

namespace starling {

// Returns what STARLING_ALGORITHM names. In reproducible mode this is a row of the one fixed association:
// recursive_doubling where the option names another row or none. It is an error if the name is not understood.
// REQUIRES: an algorithm is named, or the mode is reproducible.
Result<Choice> forcedChoice(const Options& options);

// Returns what reproducible mode runs where nothing better is known or possible, as it needs the least memory.
Choice leastReproducible();

}  // namespace starling
