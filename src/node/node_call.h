// What one rank gives to a call through the memory of its node.
#pragma once

#include <cstdint>
#include <span>

#include "node/association_tree.h"

namespace starling {

// A part of the vector that one rank combines for all.
struct NodeShare {
  std::int32_t owner = 0;  // rank within the node
  std::int64_t begin = 0;  // elements
  std::int64_t end = 0;
};

// One rank's part of one call. All but the buffers is equal on all ranks, where nothing else is said.
struct NodeCall {
  const void* send = nullptr;
  void* receive = nullptr;  // may be `send`; else they do not overlap
  std::int64_t count = 0;   // elements; > 0
  Combiner combiner;
  bool in_slots = false;                 // what fits into slots goes through them
  bool is_read = false;                  // ranks read each other's vectors, where that may be
  std::int64_t chunk_bytes = 0;          // of what goes through buffers, or is read; at most kMostChunkBytes
  bool past_caches = false;              // the ranks' vectors are more than the caches hold; may differ between ranks
  std::span<const std::int32_t> late{};  // ranks that come late, ascending: they combine nothing for the others
  bool may_reorder = false;              // operands may be combined in any order
};

}  // namespace starling
