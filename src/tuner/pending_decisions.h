// Keeps what was decided on a key since the database was last told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "store/records.h"

namespace starling {

// What it keeps is bounded, however long nobody takes it: the newest decisions stay, and the newest of the policies,
// which replace one another.
// THREADS: not thread-safe.
class PendingDecisions {
 public:
  static constexpr std::size_t kMaxDecisions = 16;

  void add(DecisionRecord decision);
  void replacePolicy(PolicyRecord policy) { policy_ = std::move(policy); }

  // Appends all to the batch and forgets it. The oldest decision says how many before it were dropped.
  void moveTo(Batch& batch);
  std::size_t size() const { return decisions_.size() + (policy_ ? 1 : 0); }

 private:
  std::deque<DecisionRecord> decisions_;
  std::int64_t dropped_ = 0;
  std::optional<PolicyRecord> policy_;
};

}  // namespace starling
