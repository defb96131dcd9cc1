#include "mpi/machine/world_ranks.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace starling {
namespace {

// Tells the ranks of a communicator by their ranks in MPI_COMM_WORLD. Allocates nothing but what MPI does.
class Translation {
 public:
  explicit Translation(MPI_Comm communicator) {
    PMPI_Comm_size(communicator, &size_);
    PMPI_Comm_group(communicator, &group_);
    PMPI_Comm_group(MPI_COMM_WORLD, &world_);
  }
  ~Translation() {
    PMPI_Group_free(&group_);
    PMPI_Group_free(&world_);
  }
  Translation(const Translation&) = delete;
  Translation& operator=(const Translation&) = delete;

  int size() const { return size_; }

  // Takes ranks of the communicator in `ranks`, and leaves there what they are in MPI_COMM_WORLD, or MPI_UNDEFINED.
  void translate(std::span<int> ranks) const {
    std::array<int, kAtOnce> own{};
    for (std::size_t first = 0; first < ranks.size(); first += kAtOnce) {
      const std::span<int> part = ranks.subspan(first, std::min(kAtOnce, ranks.size() - first));
      std::ranges::copy(part, own.begin());
      PMPI_Group_translate_ranks(group_, static_cast<int>(part.size()), own.data(), world_, part.data());
    }
  }

  static constexpr std::size_t kAtOnce = 64;

 private:
  int size_ = 0;
  MPI_Group group_ = MPI_GROUP_NULL;
  MPI_Group world_ = MPI_GROUP_NULL;
};

}  // namespace

std::vector<int> worldRanksOf(MPI_Comm communicator) {
  const Translation translation(communicator);
  std::vector<int> ranks(static_cast<std::size_t>(translation.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  translation.translate(ranks);
  return ranks;
}

bool isWithinWorld(MPI_Comm communicator) {
  const Translation translation(communicator);
  std::array<int, Translation::kAtOnce> ranks{};
  for (int first = 0; first < translation.size(); first += static_cast<int>(ranks.size())) {
    const int number = std::min(translation.size() - first, static_cast<int>(ranks.size()));
    const std::span<int> part = std::span(ranks).first(static_cast<std::size_t>(number));
    std::iota(part.begin(), part.end(), first);
    translation.translate(part);
    if (std::ranges::find(part, MPI_UNDEFINED) != part.end()) return false;
  }
  return true;
}

}  // namespace starling
