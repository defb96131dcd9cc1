#include "store/batch_queue.h"

#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "store/memory_faults.h"

namespace starling {
namespace {

// Takes what is older into the records, before them.
template <typename Records>
void inherit(Records& records, Records& older) {
  records.insert(records.begin(), std::make_move_iterator(older.begin()), std::make_move_iterator(older.end()));
  older.clear();
}

// Does so with those that have another identity, `identity_of(record)`.
template <typename Records, typename IdentityOf>
void inheritOthers(Records& records, Records& older, const IdentityOf& identity_of) {
  std::set<decltype(identity_of(records.front()))> renewed;
  for (const auto& record : records) renewed.insert(identity_of(record));
  std::erase_if(older, [&](const auto& record) { return renewed.contains(identity_of(record)); });
  inherit(records, older);
}

}  // namespace

void BatchQueue::push(Batch batch) {
  runsToItsEnd([&] {
    if (spare_.empty()) spare_.emplace_back();
    spare_.front() = std::move(batch);
    queue_.splice(queue_.end(), spare_);
    if (queue_.size() > kLongest) dropOldest();
    spare_.emplace_back();
  });
}

void BatchQueue::joinFirst() {
  runsToItsEnd([&] {
    for (std::size_t joined = 1; joined < kMostJoined && queue_.size() > 1; ++joined) {
      queue_.front().append(std::move(*std::next(queue_.begin())));
      queue_.erase(std::next(queue_.begin()));
    }
  });
}

void BatchQueue::dropOldest() {
  const auto oldest = std::next(queue_.begin());
  const auto heir = std::next(oldest);
  inherit(heir->communicators, oldest->communicators);
  inherit(heir->sites, oldest->sites);
  inheritOthers(heir->keys, oldest->keys, [](const KeyRecord& key) { return std::tie(key.id); });
  inheritOthers(heir->policies, oldest->policies,
                [](const PolicyRecord& policy) { return std::tuple_cat(std::tie(policy.site), policy.kind()); });
  queue_.erase(oldest);
}

}  // namespace starling
