#include "table_layout.h"

#include <algorithm>

namespace starling::cli {
namespace {

// A last column that is broken has this width at least.
constexpr std::size_t kLeastLast = 50;
constexpr std::size_t kLeastText = 10;

// Returns the columns with texts of at most `most` characters, but the last.
std::vector<ColumnNeed> narrowed(std::span<const ColumnNeed> needs, std::size_t most) {
  std::vector<ColumnNeed> narrow(needs.begin(), needs.end());
  for (std::size_t i = 0; i + 1 < narrow.size(); ++i) {
    if (narrow[i].is_text) narrow[i].width = std::min(narrow[i].width, std::max({narrow[i].title, most, kLeastText}));
  }
  return narrow;
}

// Returns what the last column takes at least.
std::size_t leastOfLast(const ColumnNeed& last) { return last.is_text ? std::min(last.width, kLeastLast) : last.width; }

// Puts one column behind the other, and begins a line where there is no room.
std::vector<ColumnPlace> flowed(std::span<const ColumnNeed> needs, std::size_t width) {
  std::vector<ColumnPlace> places;
  std::size_t line = 0;
  std::size_t used = 0;  // of the line, with the gap behind the last column
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const bool is_last = i + 1 == needs.size();
    const std::size_t least = is_last ? leastOfLast(needs[i]) : needs[i].width;
    if (i > 0 && used + least > width) {
      ++line;
      used = kRowIndent;
    }
    const std::size_t room = std::max(width, used + kLeastText) - used;
    const std::size_t given = needs[i].is_text ? std::min(needs[i].width, room) : needs[i].width;
    places.push_back({line, given});
    used += given + kColumnGap;
  }
  return places;
}

}  // namespace

std::vector<ColumnPlace> placeColumns(std::span<const ColumnNeed> needs, std::size_t width) {
  if (needs.empty()) return {};
  for (const std::size_t most : {width, width / 4}) {
    std::vector<ColumnPlace> places = flowed(narrowed(needs, most), width);
    if (places.back().line == 0) return places;
  }
  return flowed(narrowed(needs, width / 2), width);
}

}  // namespace starling::cli
