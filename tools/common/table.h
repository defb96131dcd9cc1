// Lays out a table of text: plain for people, Markdown for documents.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "table_layout.h"
#include "tone.h"

namespace starling::cli {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Cells become printable(), so that none breaks its row. REQUIRES: as many cells as columns, and as many tones, or
  // none.
  void addRow(std::vector<std::string> cells, std::vector<Tone> tones = {});

  // Returns the table as text: columns two spaces apart, titles first, no blanks at line ends.
  std::string text() const;
  // The same in lines of at most `width` characters, as placeColumns() has them: long texts are broken, and rows have
  // several lines where one is not enough. With colours, titles are bold and cells have their tones.
  std::string textWithin(std::size_t width, bool has_colours = false) const;
  // Returns these lines, with tones: first those of the titles, then those of each row.
  std::vector<std::vector<TonedLine>> rowsWithin(std::size_t width) const;
  // A pipe table; '|' in cells is escaped.
  std::string markdown() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::vector<Tone> tones;  // empty: all plain
  };
  Row titles() const;
  std::vector<ColumnNeed> needs() const;
  std::vector<TonedLine> linesOf(const Row& row, const std::vector<ColumnPlace>& places) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// Breaks text between words into lines of at most `width` characters; words that are longer are broken, too. There is
// one line at least.
std::vector<std::string> brokenLines(const std::string& text, std::size_t width);

// Counts the characters of UTF-8 text; each is taken to fill one column.
std::size_t displayWidth(std::string_view text);

}  // namespace starling::cli
