// Keeps what probes of links have found, so that communicators of one shape are probed once.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

#include "algos/topology.h"
#include "base/clock.h"
#include "mpi/execution/node_channel.h"
#include "simulator/simulator.h"

namespace starling {

// A shape is how the ranks of a communicator are placed on nodes, whichever nodes these are, and whether they share the
// memory of these. What is kept is bounded: the oldest shape goes first. THREADS: all functions may be called from any
// thread.
class ProbedCosts {
 public:
  static constexpr std::size_t kMaxShapes = 64;

  // `nodes` has, by rank, the first rank of its node.
  std::optional<CostModel> find(std::span<const std::int32_t> nodes, bool shares_memory) const;
  void add(std::span<const std::int32_t> nodes, bool shares_memory, const CostModel& model);

 private:
  struct Entry {
    std::uint64_t shape = 0;
    CostModel model;
  };
  mutable std::mutex mutex_;  // guards what follows
  std::array<Entry, kMaxShapes> entries_;
  std::size_t added_ = 0;
};

struct SharedCosts {
  CostModel model;
  Seconds probed_for;      // how long the probe took; 0: there was none
  bool was_known = false;  // on rank 0, from another communicator of the shape
};

// Does what probeCosts() does, unless rank 0 knows the shape: then its model is that of all ranks, and nothing is
// probed. Collective. REQUIRES: all ranks are of one MPI_COMM_WORLD; topology.nodes as in ProbedCosts.
SharedCosts knownOrProbedCosts(MPI_Comm private_communicator, const Topology& topology, const Clock& clock,
                               ProbedCosts& known, NodeChannel* node);

}  // namespace starling
