// Decides where the columns of a table stand in lines of limited width.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace starling::cli {

inline constexpr std::size_t kColumnGap = 2;
// Lines of a row but its first begin so.
inline constexpr std::size_t kRowIndent = 6;

// What a column asks for.
struct ColumnNeed {
  std::size_t title = 0;  // characters
  std::size_t width = 0;  // of the longest cell, title included
  bool is_text = true;    // its cells may be broken
};

// What it is given.
struct ColumnPlace {
  std::size_t line = 0;  // of its row
  std::size_t width = 0;
};

// Returns a place for each column. All are in one line where they have room, if need be with texts that are broken:
// that of the last column first, then any that takes more than a quarter of the line. Else a row has as many lines as
// it takes. No line has more than `width` characters, if figures have less.
std::vector<ColumnPlace> placeColumns(std::span<const ColumnNeed> needs, std::size_t width);

}  // namespace starling::cli
