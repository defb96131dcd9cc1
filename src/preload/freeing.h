#pragma once

#include <mpi.h>

namespace starling {

// Knows which communicator this thread is freeing. MPI deletes its attributes one after the other, and the program's
// delete callbacks may reduce over it: Starling's attribute may be gone by then, or go afterwards, so that all such
// calls are the MPI library's. THREADS: each thread has its own.
class Freeing {
 public:
  // Frees the communicator by `free`, and returns what that does; it may also throw.
  static int by(MPI_Comm* comm, int (*free)(MPI_Comm* comm));

  static bool isOf(MPI_Comm comm) { return g_depth > 0 && comm == g_comm; }

 private:
  // As of HandedOn.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit int g_depth;
  [[gnu::tls_model("initial-exec")]] static thread_local constinit MPI_Comm g_comm;
};

}  // namespace starling
