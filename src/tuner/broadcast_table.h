// The virtual-rank table of the broadcasts from one root.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algos/broadcast.h"

namespace starling {

// After Soga et al. 2007 (seed 004): ranks that wait long in their receives move to positions that receive early and
// send much, the rank that they wait for takes their place. All the paper compares is the longest and the shortest wait
// of all; where nobody waits for several ranks, the shortest wait names any of them. So the partner of the longest
// waiter is sought on the message's way to it: the nearest position above it that does not wait itself. The root stays
// in position 0.
//
// A pure function of whole numbers that the ranks agree on, so all ranks have the same table. No allocation after
// construction. THREADS: one.
class BroadcastTable {
 public:
  // The root, and the other ranks in their order, round the end. REQUIRES: 0 <= root < ranks.
  BroadcastTable(std::int32_t ranks, std::int32_t root);

  // Virtual rank -> rank.
  std::span<const std::int32_t> ranksByPosition() const { return table_; }
  std::int32_t positionOf(std::int32_t rank) const;

  // At the end of each period of calls. `waits_ns`: mean waiting time by rank in the period before it; the root's is
  // not heeded. What was measured before the latest change says nothing of the table as it is: the update that follows
  // a change does nothing. `reach_ns`: how much later than others a position receives at most when nobody is late;
  // smaller differences move nobody, nor do those that are small beside what there was lately. True: the table has
  // changed.
  bool update(std::span<const std::int64_t> waits_ns, BroadcastTree tree, std::int64_t reach_ns);

 private:
  std::vector<std::int32_t> table_;
  std::int64_t longest_lately_ns_ = 0;  // wait
  bool is_stale_ = false;               // what is told next was measured before the latest change
};

}  // namespace starling
