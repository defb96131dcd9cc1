#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/printable.h"

namespace starling::cli {
namespace {

constexpr std::string_view kGap = "  ";
// A last column that is broken has this width, or stands below the others, indented.
constexpr std::size_t kLeastBroken = 50;
constexpr std::size_t kIndent = 6;

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string blanks(width - std::min(width, displayWidth(cell)), ' ');
  return align == Align::kLeft ? cell + blanks : blanks + cell;
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
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (displayWidth(line) + 1 + displayWidth(word) <= width)
      line += ' ' + word;
    else
      lines.push_back(word);
  }
  return lines;
}

void Table::addRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(displayWidth(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], displayWidth(row[i]));
  }
  return widths;
}

void Table::appendLine(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                       std::string& text) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += kGap;
    line += padded(cells[i], widths[i], columns_[i].align);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  text += line;
  text += '\n';
}

std::vector<std::string> Table::titles() const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  return titles;
}

std::string Table::text() const {
  const std::vector<std::size_t> widths = this->widths();
  std::string text;
  appendLine(titles(), widths, text);
  for (const auto& row : rows_) appendLine(row, widths, text);
  return text;
}

std::string Table::textWithin(std::size_t width) const {
  const std::vector<std::size_t> widths = this->widths();
  std::size_t others = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) others += widths[i] + kGap.size();
  const bool is_beside = others + std::min(widths.back(), kLeastBroken) <= width;
  const std::size_t indent = is_beside ? others : kIndent;
  std::string text;
  const auto append = [&](const std::vector<std::string>& row) {
    std::vector<std::string> lines = brokenLines(row.back(), std::max(width, indent + 1) - indent);
    std::vector<std::string> cells(row.begin(), row.end() - 1);
    if (is_beside) cells.push_back(std::exchange(lines.front(), {}));
    appendLine(cells, widths, text);
    for (const std::string& line : lines) {
      if (!line.empty()) text += std::string(indent, ' ') + line + '\n';
    }
  };
  append(titles());
  for (const auto& row : rows_) append(row);
  return text;
}

std::string Table::markdown() const {
  std::string text = "|";
  for (const Column& column : columns_) text += fmt::format(" {} |", escapedForMarkdown(column.title));
  text += "\n|";
  for (const Column& column : columns_) text += column.align == Align::kLeft ? "---|" : "---:|";
  text += "\n";
  for (const auto& row : rows_) {
    text += "|";
    for (const std::string& cell : row) text += fmt::format(" {} |", escapedForMarkdown(cell));
    text += "\n";
  }
  return text;
}

}  // namespace starling::cli
