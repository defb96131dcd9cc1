#include "mpi/machine/world_ranks.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace starling {

std::vector<int> worldRanksOf(MPI_Comm communicator) {
  int size = 0;
  PMPI_Comm_size(communicator, &size);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(communicator, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> world_ranks(ranks.size());
  PMPI_Group_translate_ranks(group, size, ranks.data(), world, world_ranks.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return world_ranks;
}

bool isWithinWorld(MPI_Comm communicator) {
  std::array<int, 64> ranks{};
  std::array<int, ranks.size()> world_ranks{};
  int size = 0;
  PMPI_Comm_size(communicator, &size);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(communicator, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  bool is_within = true;
  for (int first = 0; first < size && is_within; first += static_cast<int>(ranks.size())) {
    const int number = std::min(size - first, static_cast<int>(ranks.size()));
    std::iota(ranks.begin(), ranks.end(), first);
    PMPI_Group_translate_ranks(group, number, ranks.data(), world, world_ranks.data());
    is_within =
        std::find(world_ranks.begin(), world_ranks.begin() + number, MPI_UNDEFINED) == world_ranks.begin() + number;
  }
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return is_within;
}

}  // namespace starling
