// Which ranks read one clock, and from whom each rank learns what the time is on rank 0's machine.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"

namespace starling {

// Returns a number that is equal on all processes that read one clock: those of one boot of one machine and one time
// namespace, whose clocks have the same fault, if tests gave them one. 0: the machine does not tell.
std::uint64_t clockIdentity(const ClockFault& fault);

// Returns whether all ranks read one clock. Collective; equal on all ranks.
bool shareOneClock(MPI_Comm communicator, std::uint64_t own_identity);

// A domain is the ranks that read one clock; its first rank leads it.
struct ClockDomains {
  std::vector<std::int32_t> leader_of;  // by rank
  std::vector<std::int32_t> leaders;    // in rising order

  bool share(std::span<const int> ranks) const;
};

// Finds domains by the identities of all ranks; a rank whose machine does not tell is a domain of its own.
ClockDomains domainsOf(std::span<const std::uint64_t> identities);

// Gathers the identities. Collective; equal on all ranks.
ClockDomains gatherClockDomains(MPI_Comm communicator, std::uint64_t own_identity);

// The ranks with which one rank talks about the time. Leaders form a tree in which each learns from one that knows
// already: after k rounds the first 2^k of them know. So do the ranks of a domain, whose first knows before. -1: none.
struct ClockNeighbours {
  int teacher = -1;           // of a leader other than the first
  std::vector<int> students;  // leaders, in the order of the rounds
  int above = -1;             // in the domain, of a rank that does not lead
  std::vector<int> below;     // likewise, of any rank

  bool leads() const { return above < 0; }
};
ClockNeighbours neighboursOf(const ClockDomains& domains, int rank);

}  // namespace starling
