#include "tuner/key_table.h"

namespace starling {

std::int32_t KeyTable::meet(const Key& key, const Signature& signature) {
  const auto [found, is_new] = index_.try_emplace(key, size());
  if (is_new) entries_.emplace_back().key = key;
  entries_[static_cast<std::size_t>(found->second)].signature = signature;
  return found->second;
}

std::optional<std::int32_t> KeyTable::find(const Key& key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}

void KeyTable::apply(const PlanUpdate& update) {
  if (update.key < 0 || update.key >= size()) return;  // equal on all ranks: the table is
  Entry& changed = entry(update.key);
  changed.plan = update.plan;
  changed.calls_since_plan = 0;
}

}  // namespace starling
