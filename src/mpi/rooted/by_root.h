// A state for each root of a rooted collective, one for short and one for long messages.
#pragma once

#include <cstddef>
#include <deque>
#include <new>

namespace starling {

// Keeps states for the first roots that a communicator's calls name, which all ranks meet in the same order. `State`
// has members `root` and `is_long` and is made from (channel, root, is_long); it never moves in memory. THREADS: one.
template <typename State>
class ByRoot {
 public:
  // Returns null when there are too many roots: a state grows with the ranks, and all states together must not grow
  // with the square of the ranks. So it does, on all ranks and for all new roots, once memory is short for a state on
  // one of them. A new root waits for all ranks.
  template <typename Channel>
  State* findOrMake(const Channel& channel, int root, bool is_long) {
    for (State& state : states_) {
      if (state.root == root && state.is_long == is_long) return &state;
    }
    if (is_full_) return nullptr;
    const bool is_made = make(channel, root, is_long);
    if (channel.isSoEverywhere(is_made)) {
      is_full_ = states_.size() == kMaxStates;
      return &states_.back();
    }
    // Where one rank has none, no rank may find one later.
    if (is_made) states_.pop_back();
    is_full_ = true;
    return nullptr;
  }

  // Returns null when no call has named this root.
  const State* find(int root, bool is_long) const {
    for (const State& state : states_) {
      if (state.root == root && state.is_long == is_long) return &state;
    }
    return nullptr;
  }

  auto begin() { return states_.begin(); }
  auto end() { return states_.end(); }

 private:
  static constexpr std::size_t kMaxStates = 128;

  template <typename Channel>
  bool make(const Channel& channel, int root, bool is_long) {
    try {
      states_.emplace_back(channel, root, is_long);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  std::deque<State> states_;
  bool is_full_ = false;
};

}  // namespace starling
