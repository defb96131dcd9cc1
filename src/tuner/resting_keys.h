// Tells which calls need not be looked at one by one: those that the MPI library answers, and of which nothing is being
// learned.
#pragma once

#include <array>
#include <cstddef>

#include "tuner/key_table.h"

namespace starling {

// A call may rest where each key of vectors of its size class, type and operation runs native, from whichever site it
// comes, and one of them is settled, and where no place in a cycle has to be counted. What this says is equal on all
// ranks, because the table is. THREADS: not thread-safe; one per communicator.
class RestingKeys {
 public:
  // Returns whether the key's own plan is native for all its calls, and nothing is being tried or awaited.
  static bool isAtRest(const KeyTable::Entry& entry);

  // Looks through the keys of the table. Takes no memory.
  void refresh(const KeyTable& keys);

  // Returns whether a call may rest whose key this is, of whichever site.
  bool mayRest(Key key) const;

 private:
  // More groups of keys than these do not rest.
  static constexpr std::size_t kMostGroups = 32;
  struct Group {
    Key key;
    bool is_settled = false;
    bool is_tuned = false;  // another plan than native is in force
  };

  // Returns the index of the group; the number of groups where it is none of them.
  std::size_t find(const Key& any) const;

  std::array<Group, kMostGroups> groups_;
  std::size_t size_ = 0;
};

}  // namespace starling
