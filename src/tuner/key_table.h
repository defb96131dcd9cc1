// The keys of one communicator and their agreed plans: equal on all ranks at every call.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tuner/plan.h"
#include "tuner/signature.h"

namespace starling {

// THREADS: not thread-safe; one per communicator.
class KeyTable {
 public:
  struct Entry {
    Key key;
    Signature signature;  // of the latest resolved call
    KeyPlan plan;
    std::int64_t calls_since_plan = 0;
  };

  // Index of the key, which is new unless it was met before. All ranks meet keys in the same order (at the ends of
  // epochs, from agreed calls), so the index names the key in messages.
  std::int32_t meet(const Key& key, const Signature& signature);

  std::optional<std::int32_t> find(const Key& key) const;

  // Puts a plan in force.
  void apply(const PlanUpdate& update);

  Entry& entry(std::int32_t index) { return entries_[static_cast<std::size_t>(index)]; }
  const Entry& entry(std::int32_t index) const { return entries_[static_cast<std::size_t>(index)]; }
  std::int32_t size() const { return static_cast<std::int32_t>(entries_.size()); }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<Key, std::int32_t, KeyHash> index_;
};

}  // namespace starling
