// A table of text: plain for people, Markdown for documents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace starling::cli {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // REQUIRES: as many cells as columns.
  void addRow(std::vector<std::string> cells);

  // Columns two spaces apart, titles first, no blanks at line ends.
  std::string text() const;
  // A pipe table; '|' and line ends in cells are escaped.
  std::string markdown() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Characters of UTF-8 text, taken as one column each.
std::size_t displayWidth(std::string_view text);

}  // namespace starling::cli
