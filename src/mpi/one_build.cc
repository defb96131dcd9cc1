#include "mpi/one_build.h"

#include <array>
#include <cstdint>

#include "base/build_identity.h"
#include "base/log.h"

namespace starling {

bool areOneBuild(MPI_Comm communicator) {
  // The greatest complement is the complement of the least.
  const std::array<std::uint64_t, 2> mine{buildIdentity(), ~buildIdentity()};
  std::array<std::uint64_t, 2> greatest = mine;
  PMPI_Allreduce(mine.data(), greatest.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_MAX, communicator);
  const bool are_one = greatest[0] == ~greatest[1];
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  if (!are_one && rank == 0) warnOfOtherBuilds();
  return are_one;
}

void warnOfOtherBuilds() {
  logOnce(LogLevel::kWarning, "builds",
          "ranks of this job run different builds of Starling, which do not understand each other: all calls are left "
          "to the MPI library; install one build on all hosts, or in all images of containers");
}

}  // namespace starling
