// Lays out a table of text: plain for people, Markdown for documents.
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

  // Cells become printable(), so that none breaks its row. REQUIRES: as many cells as columns.
  void addRow(std::vector<std::string> cells);

  // Returns the table as text: columns two spaces apart, titles first, no blanks at line ends.
  std::string text() const;
  // A pipe table; '|' in cells is escaped.
  std::string markdown() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Counts the characters of UTF-8 text; each is taken to fill one column.
std::size_t displayWidth(std::string_view text);

}  // namespace starling::cli
