// Checks what the kinds of a run's fields do not tell, where a stranger may have written them.
#pragma once

#include "base/status.h"
#include "store/stored_run.h"

namespace starling {

// Checks that figures are finite, counts not negative and far from overflowing when they are added up, and ranks those
// of their communicators. An error reads "run 3f2a, arrivals, mean: is inf; expected ...".
Status checkRun(const StoredRun& run);

}  // namespace starling
