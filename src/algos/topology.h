// Tells where ranks run and what links them.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace starling {

struct TreeLink {
  std::int32_t parent = 0;
  std::int32_t child = 0;

  bool operator==(const TreeLink&) const = default;
};
// Lists all links of a tree, a rank's own in the order of the halves that they lead to: the largest first.
using TreeLinks = std::pmr::vector<TreeLink>;

// The topology is by rank, or by virtual rank where a schedule is built, and equal on all ranks.
struct Topology {
  std::vector<std::int32_t> nodes{};  // number of the rank's node, any; empty = each rank has a node of its own
  // A symmetric matrix tells, by rank and rank, how much the link between the two carries, relative to the others, from
  // 0 to kHeaviestLink; 0 = there is none, and messages go round. Empty = as the nodes say.
  std::vector<std::int32_t> links{};
  std::pmr::vector<TreeLinks> trees{};  // topologyTrees(), made once; empty: not yet
  bool shares_memory = false;           // the ranks of each node do, and have memory for calls there
  bool reads_memory = false;            // where that is one node: they may read each other's, too
  bool gives_cores = false;             // where several nodes share memory: each rank has a core for itself

  bool operator==(const Topology&) const = default;
};

inline constexpr std::int32_t kHeaviestLink = 1'000'000;

// STARLING_LINKS has this value when the links are to be measured; any other value is the name of a file, or empty.
inline constexpr const char* kMeasuredLinks = "measure";

// Links are known, and trees are made, of so many ranks at most, because both grow with their square.
inline constexpr std::int32_t kMaxLinkedRanks = 128;

// Returns the topology by virtual rank. `table` maps virtual rank -> rank; empty = identity.
Topology arranged(const Topology& topology, std::span<const std::int32_t> table);

// Reads a link matrix as users write it: a line for each rank, with whole numbers from 0 to kHeaviestLink between
// blanks or commas; what follows # is a comment. Errors name the line, and say what is wrong: numbers, lines of
// different length, no square, a diagonal other than 0, values that differ between the two directions.
Result<std::vector<std::int32_t>> parseLinks(std::string_view text);

// Returns whether several ranks share a node, but not all; false for null.
bool sharesNodes(const Topology* topology);
// Returns whether all ranks share one node and its memory; false for null.
bool sharesOneMemory(const Topology* topology);
// Returns whether several ranks share a node, but not all, or links are known.
bool tellsApart(const Topology* topology);

// Tells how many nodes there are, and how many ranks the smallest and the largest of them have.
struct NodeSizes {
  std::int32_t nodes = 0;
  std::int32_t fewest = 0;
  std::int32_t most = 0;

  bool operator==(const NodeSizes&) const = default;
};

// Returns the sizes of the nodes of all ranks; without a known topology each has a node of its own. It takes 4 bytes a
// rank, and O(P) time where numbers of nodes are as small as those of ranks. REQUIRES: the topology has so many ranks.
NodeSizes sizesOfNodes(const Topology* topology, std::int32_t ranks,
                       std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// Lists the ranks of each node, ascending. Nodes come by their last rank, so that with the table sorted by arrival the
// node of the latest rank is the last.
// With a `table` (virtual rank -> rank of the topology) these are virtual ranks.
using NodeMembers = std::pmr::vector<std::pmr::vector<std::int32_t>>;
NodeMembers ranksOfNodes(const Topology* topology, std::int32_t ranks, std::span<const std::int32_t> table = {},
                         std::pmr::memory_resource* memory = std::pmr::get_default_resource());

}  // namespace starling
