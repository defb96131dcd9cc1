// Keeps errors of Starling's own calls from the program's error handler.
#pragma once

#include <mpi.h>

namespace starling {

// While it lives, MPI returns the errors of calls on a communicator of the program's. A handler that a thread of the
// program sets meanwhile stays. It takes no memory. THREADS: as the communicator's collective operations.
class ReturnedErrors {
 public:
  explicit ReturnedErrors(MPI_Comm communicator) : communicator_(communicator) {
    PMPI_Comm_get_errhandler(communicator, &handler_);
    PMPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  }
  ~ReturnedErrors() {
    MPI_Errhandler now = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(communicator_, &now);
    if (now == MPI_ERRORS_RETURN) PMPI_Comm_set_errhandler(communicator_, handler_);
    PMPI_Errhandler_free(&now);
    PMPI_Errhandler_free(&handler_);
  }
  ReturnedErrors(const ReturnedErrors&) = delete;
  ReturnedErrors& operator=(const ReturnedErrors&) = delete;

 private:
  MPI_Comm communicator_;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

}  // namespace starling
