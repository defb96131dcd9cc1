// What commands that list have in common: rows that are sorted, cut, and printed as a table, as JSON or as
// comma-separated values.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json_text.h"
#include "table.h"
#include "terminal.h"

namespace starling::cli {

// What the user asks of a list.
struct ListOptions {
  bool json = false;
  bool csv = false;
  std::string sort{};        // name of a column; empty: as the rows are
  bool is_reversed = false;  // the last row comes first
  std::int64_t limit = -1;   // at most so many rows; below 0: all

  bool isForPrograms() const { return json || csv; }
};

enum class ColumnKind : std::uint8_t {
  kText,    // sorts by the alphabet
  kNumber,  // names something, as a rank does: the lowest first
  kFigure,  // says how much: the largest first
};

// How a column is called: by the title that the table has, and by the name of the field that records have.
struct ColumnName {
  std::string title;
  std::string field;

  // Returns the title as users write it: "OF ITS CALLS" is of_its_calls.
  std::string word() const;
};

// Returns whether `text` names the column; capitals and small letters are alike.
bool isNamed(const ColumnName& name, const std::string& text);

// A column of a list of rows.
template <typename Row>
struct ListColumn {
  std::string title;
  ColumnKind kind = ColumnKind::kText;
  std::string field;                            // of the record, which sorts the rows
  std::function<std::string(const Row&)> cell;  // text for people
  std::function<Tone(const Row&)> tone{};       // empty: all plain
  std::function<Json(const Row&)> value{};      // what rows are sorted by, where it is not the field
  bool is_shown = true;                         // in tables; rows can be sorted by it all the same
};

// What a list is made of: the columns for people, and the record of a row for programs, an object whose fields are
// alike in all rows.
template <typename Row>
struct ListShape {
  std::vector<ListColumn<Row>> columns;
  std::function<Json(const Row&)> record;

  // Says whether tables have the column of this field.
  void setShown(std::string_view field, bool is_shown) {
    for (ListColumn<Row>& column : columns) {
      if (column.field == field) column.is_shown = is_shown;
    }
  }

  std::vector<ColumnName> names() const {
    std::vector<ColumnName> names;
    for (const ListColumn<Row>& column : columns) {
      if (!column.title.empty()) names.push_back({column.title, column.field});
    }
    return names;
  }
};

// Returns the places of `values` in the order that the options ask for, as many as they allow. What is not known, null,
// comes last; equal values stay as they are.
std::vector<std::size_t> arrangedOrder(const std::vector<Json>& values, ColumnKind kind, const ListOptions& options);

// Returns the rows in that order. REQUIRES: options.sort is empty or names a column of the shape.
template <typename Row>
std::vector<Row> arranged(const ListShape<Row>& shape, std::vector<Row> rows, const ListOptions& options) {
  std::vector<Json> values(rows.size());
  ColumnKind kind = ColumnKind::kText;
  for (const ListColumn<Row>& column : shape.columns) {
    if (options.sort.empty() || !isNamed({column.title, column.field}, options.sort)) continue;
    kind = column.kind;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      values[i] = column.value ? column.value(rows[i]) : shape.record(rows[i])[column.field];
    }
    break;
  }
  std::vector<Row> sorted;
  for (const std::size_t place : arrangedOrder(values, kind, options)) sorted.push_back(std::move(rows[place]));
  return sorted;
}

template <typename Row>
Json recordsOf(const ListShape<Row>& shape, const std::vector<Row>& rows) {
  Json records = Json::array();
  for (const Row& row : rows) records.push_back(shape.record(row));
  return records;
}

template <typename Row>
Table tableOf(const ListShape<Row>& shape, const std::vector<Row>& rows) {
  std::vector<ListColumn<Row>> shown;
  std::vector<Column> columns;
  for (const ListColumn<Row>& column : shape.columns) {
    if (!column.is_shown) continue;
    shown.push_back(column);
    columns.push_back({column.title, column.kind == ColumnKind::kText ? Align::kLeft : Align::kRight});
  }
  Table table(std::move(columns));
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    std::vector<Tone> tones;
    for (const ListColumn<Row>& column : shown) {
      cells.push_back(column.cell(row));
      tones.push_back(column.tone ? column.tone(row) : Tone::kPlain);
    }
    table.addRow(std::move(cells), std::move(tones));
  }
  return table;
}

// Returns arranged rows as the options ask for: JSON, comma-separated values, or a table for people.
template <typename Row>
std::string formatList(const ListShape<Row>& shape, const std::vector<Row>& rows, const ListOptions& options,
                       const Look& look) {
  if (options.json) return formatJson(recordsOf(shape, rows));
  if (options.csv) return formatCsv(recordsOf(shape, rows));
  return tableOf(shape, rows).textWithin(look.width, look.has_colours);
}

}  // namespace starling::cli
