#include "tuner/recorded_costs.h"

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/hosts.h"

namespace starling {
namespace {

// The records of a communicator are of bounded size, however its ranks are placed.
constexpr std::size_t kMostNodesText = 4096;

bool sharesAnyNode(const std::vector<std::int32_t>& nodes) {
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    if (std::cmp_not_equal(nodes[rank], rank)) return true;
  }
  return false;
}

}  // namespace

void recordCosts(const CostModel& model, const Topology& topology, CommunicatorRecord& communicator) {
  communicator.alpha = model.alpha.value;
  communicator.beta = model.beta;
  communicator.gamma = model.gamma;
  communicator.overhead = model.overhead.value;
  communicator.release = model.release.value;
  communicator.shared_ports = model.shared ? 1 : 0;
  communicator.inner_alpha = model.inner_alpha.value;
  communicator.inner_beta = model.inner_beta;
  communicator.node_alpha = topology.shares_memory ? model.node_alpha.value : 0.0;
  communicator.node_beta = topology.shares_memory ? model.node_beta : 0.0;
  communicator.read_alpha = topology.shares_memory ? model.read_alpha.value : 0.0;
  communicator.read_beta = topology.shares_memory ? model.read_beta : 0.0;
  communicator.nodes = "";
  if (!sharesAnyNode(topology.nodes)) return;
  std::vector<std::string> names;
  for (const std::int32_t node : topology.nodes) names.push_back(std::to_string(node));
  communicator.nodes = foldHosts(names);
  if (communicator.nodes->size() > kMostNodesText) communicator.nodes.reset();
}

std::optional<CostModel> recordedCosts(const CommunicatorRecord& communicator) {
  if (!communicator.alpha || !communicator.beta) return std::nullopt;
  CostModel model;
  model.alpha = Seconds{*communicator.alpha};
  model.beta = *communicator.beta;
  model.gamma = communicator.gamma.value_or(0.0);
  model.overhead = Seconds{communicator.overhead.value_or(0.0)};
  model.release = Seconds{communicator.release.value_or(0.0)};
  model.shared = communicator.shared_ports.value_or(0) != 0;
  model.inner_alpha = Seconds{communicator.inner_alpha.value_or(0.0)};
  model.inner_beta = communicator.inner_beta.value_or(0.0);
  model.node_alpha = Seconds{communicator.node_alpha.value_or(0.0)};
  model.node_beta = communicator.node_beta.value_or(0.0);
  model.read_alpha = Seconds{communicator.read_alpha.value_or(0.0)};
  model.read_beta = communicator.read_beta.value_or(0.0);
  return model;
}

std::optional<Topology> recordedTopology(const CommunicatorRecord& communicator) {
  if (!communicator.nodes) return std::nullopt;
  Topology topology;
  topology.shares_memory = communicator.node_alpha.value_or(0.0) > 0.0;
  topology.reads_memory = communicator.read_alpha.value_or(0.0) > 0.0;
  if (communicator.nodes->empty()) return topology;
  for (std::int32_t rank = 0; rank < communicator.size; ++rank) {
    const std::string_view name = hostOf(*communicator.nodes, rank);
    std::int32_t node = 0;
    const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), node);
    if (fault != std::errc() || end != name.data() + name.size() || node < 0) return std::nullopt;
    topology.nodes.push_back(node);
  }
  return topology;
}

}  // namespace starling
