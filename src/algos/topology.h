// Where ranks run and what links them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace starling {

// By rank, or by virtual rank where a schedule is built. Equal on all ranks.
struct Topology {
  std::vector<std::int32_t> nodes;  // number of the rank's node, any; empty = each rank has a node of its own
  // By rank and rank: how much the link between the two carries, relative to the others, 0 to kHeaviestLink; 0 = there
  // is none, and messages go round. Symmetric. Empty = as the nodes say.
  std::vector<std::int32_t> links;

  bool operator==(const Topology&) const = default;
};

inline constexpr std::int32_t kHeaviestLink = 1'000'000;

// The topology by virtual rank. `table`: virtual rank -> rank; empty = identity.
Topology arranged(const Topology& topology, std::span<const std::int32_t> table);

// A link matrix as users write it: a line for each rank, with whole numbers from 0 to kHeaviestLink between blanks or
// commas; what follows # is a comment. Errors name the line, and say what is wrong: numbers, lines of different length,
// no square, a diagonal other than 0, values that differ between the two directions.
Result<std::vector<std::int32_t>> parseLinks(std::string_view text);

// It tells ranks apart: several share a node, but not all, or links are known. Null: it does not.
bool tellsApart(const Topology* topology);

// The ranks of each node, ascending. Nodes come by their last rank, so that with the table sorted by arrival the node
// of the latest rank is the last.
std::vector<std::vector<std::int32_t>> ranksOfNodes(const Topology* topology, std::int32_t ranks);

}  // namespace starling
