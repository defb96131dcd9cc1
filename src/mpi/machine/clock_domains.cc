#include "mpi/machine/clock_domains.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <string>
#include <unordered_map>

#include "tuner/signature.h"

namespace starling {
namespace {

// Of the file by which Linux knows the time namespace. Older kernels have no such namespaces, and one clock.
std::uint64_t timeNamespace() {
  struct stat status {};
  return stat("/proc/self/ns/time", &status) == 0 ? static_cast<std::uint64_t>(status.st_ino) : 0;
}

// Returns the place in a binomial tree from which the element at `place` learns: that without its highest bit.
std::size_t teacherOf(std::size_t place) { return place - std::bit_floor(place); }

// Calls `visit` with the places that learn from `place`, in the order of the rounds.
template <typename Visit>
void forEachStudent(std::size_t place, std::size_t places, Visit visit) {
  for (std::size_t distance = std::bit_ceil(place + 1); place + distance < places; distance *= 2) {
    visit(place + distance);
  }
}

}  // namespace

std::uint64_t clockIdentity(const ClockFault& fault) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  if (!std::getline(file, boot)) return 0;
  std::uint64_t hash =
      mixHash(std::bit_cast<std::uint64_t>(fault.offset.value), std::bit_cast<std::uint64_t>(fault.drift_ppm));
  hash = mixHash(hash, timeNamespace());
  for (const char c : boot) hash = mixHash(hash, static_cast<unsigned char>(c));
  return std::max<std::uint64_t>(hash, 1);
}

bool shareOneClock(MPI_Comm communicator, std::uint64_t own_identity) {
  const std::array<std::uint64_t, 2> mine{own_identity, ~own_identity};
  std::array<std::uint64_t, 2> all{};
  PMPI_Allreduce(mine.data(), all.data(), 2, MPI_UINT64_T, MPI_BAND, communicator);
  return own_identity != 0 && all[0] == ~all[1];
}

bool ClockDomains::share(std::span<const int> ranks) const {
  const auto leader = [this](int rank) { return leader_of[static_cast<std::size_t>(rank)]; };
  return std::all_of(ranks.begin(), ranks.end(), [&](int rank) { return leader(rank) == leader(ranks.front()); });
}

ClockDomains domainsOf(std::span<const std::uint64_t> identities) {
  ClockDomains domains;
  std::unordered_map<std::uint64_t, std::int32_t> leader_by_identity;
  for (std::size_t i = 0; i < identities.size(); ++i) {
    const auto rank = static_cast<std::int32_t>(i);
    const bool is_told = identities[i] != 0;
    const std::int32_t leader = is_told ? leader_by_identity.try_emplace(identities[i], rank).first->second : rank;
    domains.leader_of.push_back(leader);
    if (leader == rank) domains.leaders.push_back(rank);
  }
  return domains;
}

ClockDomains gatherClockDomains(MPI_Comm communicator, std::uint64_t own_identity) {
  int ranks = 0;
  PMPI_Comm_size(communicator, &ranks);
  std::vector<std::uint64_t> identities(static_cast<std::size_t>(ranks));
  // MPI_Allgather is avoided, because its messages grow with the square of the ranks in some libraries.
  PMPI_Gather(&own_identity, 1, MPI_UINT64_T, identities.data(), 1, MPI_UINT64_T, 0, communicator);
  PMPI_Bcast(identities.data(), ranks, MPI_UINT64_T, 0, communicator);
  return domainsOf(identities);
}

ClockNeighbours neighboursOf(const ClockDomains& domains, int rank) {
  ClockNeighbours neighbours;
  const std::int32_t leader = domains.leader_of[static_cast<std::size_t>(rank)];
  std::vector<int> domain;
  for (std::size_t other = 0; other < domains.leader_of.size(); ++other) {
    if (domains.leader_of[other] == leader) domain.push_back(static_cast<int>(other));
  }
  const auto place = static_cast<std::size_t>(std::lower_bound(domain.begin(), domain.end(), rank) - domain.begin());
  if (place > 0) neighbours.above = domain[teacherOf(place)];
  forEachStudent(place, domain.size(), [&](std::size_t student) { neighbours.below.push_back(domain[student]); });
  if (place > 0) return neighbours;
  const std::vector<std::int32_t>& leaders = domains.leaders;
  const auto number =
      static_cast<std::size_t>(std::lower_bound(leaders.begin(), leaders.end(), rank) - leaders.begin());
  if (number > 0) neighbours.teacher = leaders[teacherOf(number)];
  forEachStudent(number, leaders.size(), [&](std::size_t student) { neighbours.students.push_back(leaders[student]); });
  return neighbours;
}

}  // namespace starling
