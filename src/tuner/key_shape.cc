#include "tuner/key_shape.h"

#include "tuner/signature.h"

namespace starling {

std::uint64_t hashOfPlacement(std::span<const std::int32_t> nodes, bool shares_memory) {
  std::uint64_t hash = 2 * nodes.size() + (shares_memory ? 1 : 0);
  for (const std::int32_t node : nodes) hash = mixHash(hash, static_cast<std::uint64_t>(node));
  return hash;
}

}  // namespace starling
