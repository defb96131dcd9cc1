// Selects which of the MPI library's own algorithms answers MPI_Allreduce.
#pragma once

#include <string>

#include "base/status.h"

namespace starling::bench {

// Tells whether `name` can be selected; the empty name is the library's own choice and always can.
Status checkNative(const std::string& name);

// Selects the algorithm for the next call of this rank. REQUIRES: checkNative() allows it.
void selectNative(const std::string& name);

// Selects after that call what the benchmark itself uses.
void selectUsual();

}  // namespace starling::bench
