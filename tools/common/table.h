// Lays out a table of text: plain for people, Markdown for documents.
#pragma once

#include <cstddef>
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
  // The same in lines of at most `width` characters, as far as words and the other columns allow: the last column's
  // cells are broken between words, and stand below the others where these leave little room.
  std::string textWithin(std::size_t width) const;
  // A pipe table; '|' in cells is escaped.
  std::string markdown() const;

 private:
  std::vector<std::string> titles() const;
  std::vector<std::size_t> widths() const;
  // Appends a line of the first columns.
  void appendLine(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                  std::string& text) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Breaks text between words into lines of at most `width` characters; words that are longer have lines of their own.
// There is one line at least.
std::vector<std::string> brokenLines(const std::string& text, std::size_t width);

// Counts the characters of UTF-8 text; each is taken to fill one column.
std::size_t displayWidth(std::string_view text);

}  // namespace starling::cli
