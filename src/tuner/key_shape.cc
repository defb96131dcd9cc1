#include "tuner/key_shape.h"

#include "tuner/signature.h"

namespace starling {

std::uint64_t hashOfPlacement(std::span<const std::int32_t> nodes, bool shares_memory) {
  std::uint64_t hash = 2 * nodes.size() + (shares_memory ? 1 : 0);
  for (const std::int32_t node : nodes) hash = mixHash(hash, static_cast<std::uint64_t>(node));
  return hash;
}

KeyShape shapeOn(const Topology& topology, std::int32_t ranks, std::int32_t size_class) {
  return {ranks, size_class, hashOfPlacement(topology.nodes, topology.shares_memory)};
}

}  // namespace starling
