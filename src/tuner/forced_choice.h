// What the options say all calls are to run.
#pragma once

#include "algos/catalogue.h"
#include "base/options.h"
#include "base/status.h"

namespace starling {

// STARLING_ALGORITHM. In reproducible mode it may only name a row of the one fixed association; else, and where it
// names nothing, that is recursive_doubling. Errors: it is not understood. REQUIRES: an algorithm is named, or the mode
// is reproducible.
Result<Choice> forcedChoice(const Options& options);

}  // namespace starling
