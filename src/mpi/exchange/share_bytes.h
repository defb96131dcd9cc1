// Gives one rank's bytes to all ranks.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace starling {

// Makes `bytes` those of rank 0, on all ranks. It is collective.
inline void shareBytes(MPI_Comm communicator, std::vector<std::uint8_t>& bytes) {
  auto size = static_cast<long long>(bytes.size());
  PMPI_Bcast(&size, 1, MPI_LONG_LONG, 0, communicator);
  bytes.resize(static_cast<std::size_t>(size));
  PMPI_Bcast(bytes.data(), static_cast<int>(size), MPI_BYTE, 0, communicator);
}

}  // namespace starling
