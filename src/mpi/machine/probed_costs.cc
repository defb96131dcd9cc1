#include "mpi/machine/probed_costs.h"

#include <algorithm>

#include "mpi/machine/probe.h"
#include "tuner/key_shape.h"

namespace starling {
namespace {

// What rank 0 tells the others.
struct Told {
  std::int32_t is_known = 0;
  CostModel model;
};

}  // namespace

std::optional<CostModel> ProbedCosts::find(std::span<const std::int32_t> nodes, bool shares_memory) const {
  const std::uint64_t shape = hashOfPlacement(nodes, shares_memory);
  const std::lock_guard lock(mutex_);
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(std::min(added_, entries_.size()));
  const auto found = std::find_if(entries_.begin(), end, [shape](const Entry& entry) { return entry.shape == shape; });
  return found == end ? std::nullopt : std::optional(found->model);
}

void ProbedCosts::add(std::span<const std::int32_t> nodes, bool shares_memory, const CostModel& model) {
  const std::uint64_t shape = hashOfPlacement(nodes, shares_memory);
  const std::lock_guard lock(mutex_);
  entries_[added_++ % entries_.size()] = {shape, model};
}

SharedCosts knownOrProbedCosts(MPI_Comm private_communicator, const Topology& topology, const Clock& clock,
                               ProbedCosts& known, NodeChannel* node) {
  const std::optional<CostModel> own = known.find(topology.nodes, topology.shares_memory);
  Told told{own ? 1 : 0, own.value_or(CostModel{})};
  PMPI_Bcast(&told, sizeof told, MPI_BYTE, 0, private_communicator);
  SharedCosts costs{told.model, {}, told.is_known != 0};
  if (told.is_known == 0) {
    const Seconds begin = clock.now();
    costs.model = probeCosts(private_communicator, topology, clock, node);
    costs.probed_for = clock.now() - begin;
  }
  if (!own) known.add(topology.nodes, topology.shares_memory, costs.model);
  return costs;
}

}  // namespace starling
