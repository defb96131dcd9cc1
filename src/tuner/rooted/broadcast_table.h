// The virtual-rank table of the broadcasts from one root.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algos/broadcast.h"

namespace starling {

// After Soga et al. 2007: ranks that wait long in their receives move to positions that receive early and send much,
// and the rank that they wait for takes their place. The paper only compares the longest and the shortest wait of all;
// where nobody waits for several ranks, the shortest wait names any of them. So here the partner of the longest waiter
// is sought on the message's way to it: it is the nearest position above it that does not wait itself. The root stays
// in position 0.
//
// The table is a pure function of whole numbers that the ranks agree on, so all ranks have the same table. Nothing is
// allocated after construction. THREADS: one.
class BroadcastTable {
 public:
  // Begins with the root, and then the other ranks in their order, round the end. REQUIRES: 0 <= root < ranks.
  BroadcastTable(std::int32_t ranks, std::int32_t root);

  // Returns the table: virtual rank -> rank.
  std::span<const std::int32_t> ranksByPosition() const { return table_; }
  std::int32_t positionOf(std::int32_t rank) const;

  // Is called at the end of each period of calls; returns true when the table has changed. `waits_ns` has the mean
  // waiting times by rank in the period before the one that ends; the root's entry is ignored. `reach_ns` tells how
  // much later than others a position receives at most when nobody is late; smaller differences move nobody, nor do
  // differences that are small beside the longest waits of late. What was measured before a change says nothing about
  // the changed table, so the update that follows a change does nothing.
  bool update(std::span<const std::int64_t> waits_ns, BroadcastTree tree, std::int64_t reach_ns);

 private:
  std::vector<std::int32_t> table_;
  std::int64_t longest_lately_ns_ = 0;  // the longest wait of the latest periods
  bool is_stale_ = false;               // the next waits were measured before the latest change
};

}  // namespace starling
