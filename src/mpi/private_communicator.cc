#include "mpi/private_communicator.h"

namespace starling {

MPI_Comm makePrivateCommunicator(MPI_Comm original) {
  int rank = 0;
  PMPI_Comm_rank(original, &rank);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(original, &handler);
  PMPI_Comm_set_errhandler(original, MPI_ERRORS_RETURN);
  MPI_Comm made = MPI_COMM_NULL;
  const int split = PMPI_Comm_split(original, 0, rank, &made);
  PMPI_Comm_set_errhandler(original, handler);
  PMPI_Errhandler_free(&handler);
  if (split != MPI_SUCCESS) return MPI_COMM_NULL;
  PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

int highestTag() {
  constexpr int kLeastHighest = 32767;  // what MPI guarantees
  void* limit = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found);
  return found != 0 ? *static_cast<int*>(limit) : kLeastHighest;
}

}  // namespace starling
