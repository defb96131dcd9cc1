// Says which keys learn from each other.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "algos/topology.h"

namespace starling {

// Models are wrong alike for keys of one shape, and for those of a few size classes away.
struct KeyShape {
  std::int32_t ranks = 0;
  std::int32_t size_class = 0;
  std::uint64_t placement = 0;  // see hashOfPlacement()

  bool operator==(const KeyShape&) const = default;

  // Returns whether only the size class may differ.
  bool isOnSameRanks(const KeyShape& other) const { return ranks == other.ranks && placement == other.placement; }
};

// Tells placements of ranks on nodes apart; `nodes` has, by rank, the first rank of its node, or is empty.
std::uint64_t hashOfPlacement(std::span<const std::int32_t> nodes, bool shares_memory);

// Returns the shape of keys of so many ranks that are placed so.
KeyShape shapeOn(const Topology& topology, std::int32_t ranks, std::int32_t size_class);

// What else keys on different communicators have in common. Types and operations have the codes of their signatures.
struct KeyOrigin {
  std::int16_t type = 0;
  std::int16_t operation = 0;
  std::string site{};  // its identity; empty: none that other keys have

  bool operator==(const KeyOrigin&) const = default;
};

}  // namespace starling
