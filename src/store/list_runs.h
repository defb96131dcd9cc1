// Lists of whole numbers as they are stored and sent: by runs, so that a table of many ranks, of whom few have a place
// of their own, is short.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starling {

// Many entries in a row, rising by 1 each or all equal, or one entry.
struct ListRun {
  std::int64_t first = 0;
  std::int64_t length = 1;
  bool rises = false;
};

// So many entries in a row are one run; fewer stand one by one, as all do in the list of a small communicator.
inline constexpr std::size_t kShortestRun = 32;

// The runs of a list that is read stand for no more entries than this, so that a damaged one does not take all memory.
inline constexpr std::int64_t kMostInRuns = 1 << 22;

// Returns "0-99" for 0 to 99 in their order, "9*7" for nine times 7, and "7" for one.
std::string textOf(const ListRun& run);

// Reads such a text of more than one entry. Returns whether it is one, with no number below zero.
bool parseRun(std::string_view text, ListRun& run);

// Calls `visit(run)` for all entries, in their order. Numbers below zero stand one by one.
template <typename Integer, typename Visit>
void forEachRun(std::span<const Integer> list, Visit visit) {
  const auto length_while = [&list](auto follows) {
    const auto last =
        std::ranges::adjacent_find(list, [&](Integer before, Integer after) { return !follows(before, after); });
    return last == list.end() ? list.size() : static_cast<std::size_t>(last - list.begin()) + 1;
  };
  const auto is_next = [](Integer before, Integer after) { return after > before && after - 1 == before; };
  const auto is_same = [](Integer before, Integer after) { return after == before; };
  while (!list.empty()) {
    ListRun run{.first = list.front()};
    if (run.first >= 0) {
      const std::size_t rising = length_while(is_next);
      const std::size_t length = rising >= kShortestRun ? rising : length_while(is_same);
      if (length >= kShortestRun) run = {list.front(), static_cast<std::int64_t>(length), length == rising};
    }
    visit(run);
    list = list.subspan(static_cast<std::size_t>(run.length));
  }
}

// Puts a list together again.
// THREADS: one.
template <typename Integer>
class ListBuilder {
 public:
  // Appends to the list, which must outlive this.
  explicit ListBuilder(std::vector<Integer>& list) : list_(list) {}

  void add(Integer value) { list_.push_back(value); }

  // Appends what a run's text stands for. Returns false where it is none, or stands for numbers that do not fit, or for
  // too many of them.
  bool addRun(std::string_view text) {
    ListRun run;
    if (!parseRun(text, run) || run.length > kMostInRuns - in_runs_) return false;
    if (!std::in_range<Integer>(run.rises ? run.first + (run.length - 1) : run.first)) return false;
    in_runs_ += run.length;
    for (std::int64_t i = 0; i < run.length; ++i) add(static_cast<Integer>(run.rises ? run.first + i : run.first));
    return true;
  }

 private:
  std::vector<Integer>& list_;
  std::int64_t in_runs_ = 0;
};

}  // namespace starling
