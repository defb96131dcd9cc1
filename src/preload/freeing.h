#pragma once

#include <mpi.h>

namespace starling {

// Knows which communicators this thread is freeing: one, or in its delete callbacks others, too. MPI deletes their
// attributes one after the other, and the program's callbacks may reduce over them: Starling's attribute may be gone by
// then, or go afterwards, so that all such calls are the MPI library's. THREADS: each thread has its own.
class Freeing {
 public:
  // Frees the communicator by `free`, and returns what that does; it may also throw.
  static int by(MPI_Comm* comm, int (*free)(MPI_Comm* comm));

  static bool isOf(MPI_Comm comm) { return g_innermost != nullptr && isAmong(comm); }

 private:
  struct Frame {
    MPI_Comm comm;
    const void* outer;  // the frame in whose callbacks it is freed
  };
  static bool isAmong(MPI_Comm comm);

  // A Frame. The library is there from the start of the process, so that its variables need not be looked for.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit const void* g_innermost;
};

}  // namespace starling
