#include "mpi/rooted/message_bytes.h"

#include <algorithm>

namespace starling {

std::int64_t messageBytes(int count, MPI_Datatype datatype) {
  constexpr std::int64_t kMax = std::int64_t{1} << 62;
  MPI_Count size = 0;
  PMPI_Type_size_x(datatype, &size);
  return size > kMax / std::max(count, 1) ? kMax : count * static_cast<std::int64_t>(size);
}

bool isSentAsItLies(MPI_Datatype datatype) {
  int integers = 0;
  int addresses = 0;
  int datatypes = 0;
  int combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner);
  if (combiner != MPI_COMBINER_NAMED) return false;
  MPI_Count size = 0;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  PMPI_Type_size_x(datatype, &size);
  PMPI_Type_get_extent(datatype, &lower_bound, &extent);
  return lower_bound == 0 && size == extent;  // a pair of value and index may have gaps
}

}  // namespace starling
