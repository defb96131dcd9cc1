// Selects which of the MPI library's own algorithms answers a collective operation.
#pragma once

#include <string>

#include "base/status.h"
#include "collective.h"

namespace starling::bench {

// Tells whether `name` can be selected; the empty name is the library's own choice and always can.
Status checkNative(Collective collective, const std::string& name);

// Selects the algorithm for the next call of this rank. REQUIRES: checkNative() allows it.
void selectNative(Collective collective, const std::string& name);

// Selects what the benchmark itself uses: to be called after that call, and before calls of its own that other ranks
// may make while one is still in the call that is measured.
void selectUsual(Collective collective);

}  // namespace starling::bench
