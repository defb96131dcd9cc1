// Loads libstarling.so, and with it all that Starling needs, once a process is known to use MPI: a shell or a launcher
// that inherits LD_PRELOAD never gets that far.
#pragma once

#include "mpi/wrapper_table.h"

namespace starling {

// Returns what libstarling.so does for the wrappers, and loads it at the first call; `caller` is an address in the code
// that called MPI. A copy that the program has loaded by itself is used, so that there is one only. Null: it cannot be
// loaded, or is made for another MPI library than the process has, of which one message was written; the process runs
// untuned. THREADS: any.
const WrapperTable* loadStarling(const void* caller);

// The same once it has been loaded; else null. THREADS: any.
const WrapperTable* loadedStarling();

// Loads it, too, and finds a symbol among the libraries that it needs. Null: there is none. THREADS: any.
void* findBesideStarling(const char* name);

}  // namespace starling
