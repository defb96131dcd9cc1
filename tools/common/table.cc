#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <sstream>
#include <utility>

#include "base/printable.h"

namespace starling::cli {
namespace {

// Returns the first characters of UTF-8 text.
std::string_view firstCharacters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool begins_character = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (begins_character && count-- == 0) break;
  }
  return text.substr(0, end);
}

std::string escapedForMarkdown(const std::string& cell) {
  std::string escaped;
  for (const char c : cell) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::size_t displayWidth(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<std::string> brokenLines(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty()) {
      if (displayWidth(lines.back()) + 1 + displayWidth(word) <= width) {
        lines.back() += ' ' + word;
        continue;
      }
      lines.emplace_back();
    }
    for (; displayWidth(word) > width; lines.emplace_back()) {
      lines.back() = firstCharacters(word, width);
      word.erase(0, lines.back().size());
    }
    lines.back() = word;
  }
  return lines;
}

void Table::addRow(std::vector<std::string> cells, std::vector<Tone> tones) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells), std::move(tones)});
}

std::vector<ColumnNeed> Table::needs() const {
  std::vector<ColumnNeed> needs;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t title = displayWidth(columns_[i].title);
    ColumnNeed& need = needs.emplace_back(ColumnNeed{title, title, columns_[i].align == Align::kLeft});
    for (const Row& row : rows_) need.width = std::max(need.width, displayWidth(row.cells[i]));
  }
  return needs;
}

Table::Row Table::titles() const {
  Row row;
  for (const Column& column : columns_) row.cells.push_back(column.title);
  row.tones.assign(columns_.size(), Tone::kTitle);
  return row;
}

std::vector<TonedLine> Table::linesOf(const Row& row, const std::vector<ColumnPlace>& places) const {
  std::vector<TonedLine> result;
  for (std::size_t first = 0, end = 0; first < places.size(); first = end) {
    std::vector<std::vector<std::string>> pieces;  // of the cells in this line of the row
    std::size_t height = 1;
    for (end = first; end < places.size() && places[end].line == places[first].line; ++end) {
      const std::string& cell = row.cells[end];
      const bool fits = displayWidth(cell) <= places[end].width || columns_[end].align == Align::kRight;
      pieces.push_back(fits ? std::vector{cell} : brokenLines(cell, places[end].width));
      height = std::max(height, pieces.back().size());
    }
    for (std::size_t i = 0; i < height; ++i) {
      TonedLine line;
      std::size_t blanks = first == 0 ? 0 : kRowIndent;  // that come before the next text
      for (std::size_t column = first; column < end; ++column) {
        const std::vector<std::string>& lines = pieces[column - first];
        const std::string piece = i < lines.size() ? lines[i] : "";
        const std::size_t rest = places[column].width - std::min(places[column].width, displayWidth(piece));
        const bool is_right = columns_[column].align == Align::kRight;
        if (is_right) blanks += rest;
        if (!piece.empty()) {
          if (blanks > 0) line.push_back({Tone::kPlain, std::string(std::exchange(blanks, 0), ' ')});
          line.push_back({row.tones.empty() ? Tone::kPlain : row.tones[column], piece});
        }
        blanks += (is_right ? 0 : rest) + kColumnGap;
      }
      if (!line.empty() || first == 0) result.push_back(std::move(line));
    }
  }
  return result;
}

std::string Table::text() const { return textWithin(std::numeric_limits<std::uint32_t>::max()); }

std::vector<std::vector<TonedLine>> Table::rowsWithin(std::size_t width) const {
  const std::vector<ColumnPlace> places = placeColumns(needs(), width);
  std::vector<std::vector<TonedLine>> rows{linesOf(titles(), places)};
  for (const Row& row : rows_) rows.push_back(linesOf(row, places));
  return rows;
}

std::string Table::textWithin(std::size_t width, bool has_colours) const {
  std::string text;
  for (const std::vector<TonedLine>& row : rowsWithin(width)) {
    for (const TonedLine& line : row) {
      for (const TonedText& piece : line) text += toned(has_colours ? piece.tone : Tone::kPlain, piece.text);
      text += '\n';
    }
  }
  return text;
}

std::string Table::markdown() const {
  std::string text = "|";
  for (const Column& column : columns_) text += fmt::format(" {} |", escapedForMarkdown(column.title));
  text += "\n|";
  for (const Column& column : columns_) text += column.align == Align::kLeft ? "---|" : "---:|";
  text += "\n";
  for (const Row& row : rows_) {
    text += "|";
    for (const std::string& cell : row.cells) text += fmt::format(" {} |", escapedForMarkdown(cell));
    text += "\n";
  }
  return text;
}

}  // namespace starling::cli
