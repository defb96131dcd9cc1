// What is kept for each root of a rooted collective, apart for short and long messages.
#pragma once

#include <cstddef>
#include <deque>

namespace starling {

// Of the first roots that a communicator's calls name, in an order that all ranks share. `State` has members `root` and
// `is_long` and is made from (channel, root, is_long); it stays where it is. THREADS: one.
template <typename State>
class ByRoot {
 public:
  // Null: there are too many. What is kept grows with the ranks, and must not grow with their square.
  template <typename Channel>
  State* findOrMake(const Channel& channel, int root, bool is_long) {
    for (State& state : states_) {
      if (state.root == root && state.is_long == is_long) return &state;
    }
    return states_.size() == kMostStates ? nullptr : &states_.emplace_back(channel, root, is_long);
  }

  // Null: no call has named it.
  const State* find(int root, bool is_long) const {
    for (const State& state : states_) {
      if (state.root == root && state.is_long == is_long) return &state;
    }
    return nullptr;
  }

  auto begin() { return states_.begin(); }
  auto end() { return states_.end(); }

 private:
  static constexpr std::size_t kMostStates = 128;

  std::deque<State> states_;
};

}  // namespace starling
