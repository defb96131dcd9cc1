// Tells which calls need not be looked at one by one: those of which nothing is being learned, and which the MPI
// library answers, or memory that the ranks share.
#pragma once

#include <array>
#include <cstddef>

#include "tuner/key_table.h"

namespace starling {

// A call may rest where each key of vectors of its size class, type and operation has the same choice, from whichever
// site it comes, and one of them is settled. That choice is native, or one of runsInMemory() where calls may rest that
// run through shared memory, nobody is late as a rule, and the choice has passed its first calls. No place in a cycle
// may have to be counted. What this says is equal on all ranks, because the table is. THREADS: not thread-safe; one per
// communicator.
class RestingKeys {
 public:
  // Lets calls rest that run through shared memory, or not, from the next refresh() on.
  void setMemoryRests(bool rests) { memory_rests_ = rests; }

  // Returns whether the key's own plan has such a choice, and nothing is being tried or awaited.
  bool isAtRest(const KeyTable::Entry& entry) const;

  // Looks through the keys of the table. Takes no memory.
  void refresh(const KeyTable& keys);

  // Returns what runs in a call whose key this is, of whichever site; null: it may not rest.
  const Choice* choiceAtRest(Key key) const;

  // More groups of keys than these do not rest.
  static constexpr std::size_t kMostGroups = 32;

 private:
  struct Group {
    Key key{};
    Choice choice{};  // of the first key that has a plan
    bool has_choice = false;
    bool is_settled = false;
    bool is_mixed = false;  // choices differ, or one that may not rest is in force
  };

  bool mayRest(const KeyTable::Entry& entry) const;
  void note(Group& group, const KeyTable::Entry& entry) const;
  // Returns the index of the group; the number of groups where it is none of them.
  std::size_t find(const Key& any) const;

  std::array<Group, kMostGroups> groups_;
  std::size_t size_ = 0;
  bool memory_rests_ = false;
};

}  // namespace starling
