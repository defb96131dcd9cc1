// Turns records into rows: the SQL and the values follow from the lists in record_fields.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "store/record_fields.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace starling {

struct Column {
  const char* name;
  OnConflict on_conflict;
  const char* unknown = "0";   // the SQL literal of a value that is to be filled in
  std::size_t first_step = 1;  // of the schema, that has the column
};

// Returns the columns in the order of the record's list.
template <Listed Record>
std::vector<Column> columnsOf() {
  std::vector<Column> columns;
  Record record;
  forEachField(record, [&columns]<template <typename> class Kind, typename Value>(const Kind<Value>& field) {
    if constexpr (std::same_as<Kind<Value>, Field<Value>>) {
      columns.push_back(
          {field.column, field.on_conflict, std::same_as<Value, std::string> ? "''" : "0", field.first_step});
    }
  });
  return columns;
}

// Returns "epoch, rank".
std::string namesOf(const std::vector<Column>& columns);
// Returns "arrivals.epoch, arrivals.rank" for a SELECT, with NULL in place of a column that a file of that many steps
// has not yet.
std::string selected(const std::vector<Column>& columns, std::string_view table, std::size_t steps);
template <Listed Record>
std::string selected(std::string_view table, std::size_t steps = kSchemaSteps.size()) {
  return selected(columnsOf<Record>(), table, steps);
}

// Returns "?3, ?4", as many as there are columns.
std::string parametersOf(const std::vector<Column>& columns, std::size_t first);
// Returns "epoch = ?3<separator>rank = ?4".
std::string equations(const std::vector<Column>& columns, std::size_t first, std::string_view separator);

// Returns "INSERT INTO <table> (<owners>, <columns>) VALUES (?1, ?2, ...)". Owners are columns that the record does not
// carry.
std::string insertion(std::string_view table, const std::vector<Column>& owners, const std::vector<Column>& columns);
// Returns insertion() and what becomes of a row that is there already.
std::string upsertion(std::string_view table, const std::vector<Column>& owners, const std::vector<Column>& columns);

// Returns what a column holds of a value: the value itself, or a list's text.
template <typename Value>
std::tuple<const Value&> storedForm(const Value& value) {
  return {value};
}
template <typename Item>
std::tuple<std::string> storedForm(const std::vector<Item>& list) {
  return {formatList(list)};
}

template <typename Value>
auto storedField(const Field<Value>& field) {
  return storedForm(field.value);
}
template <typename Value>
std::tuple<> storedField(const Link<Value>& /*elsewhere*/) {
  return {};
}

// Returns what the columns of a record, or the one of a single value, hold.
template <typename Part>
auto storedParts(const Part& part) {
  if constexpr (Listed<const Part>) {
    return std::apply([](const auto&... field) { return std::tuple_cat(storedField(field)...); }, fieldsOf(part));
  } else {
    return storedForm(part);
  }
}

// Binds to ?1, ?2, ... what the parts hold: a record's columns, and any other part's value.
template <typename... Parts>
sqlite::Statement& startWith(sqlite::Statement& statement, const Parts&... parts) {
  std::apply([&statement](const auto&... value) { statement.start(value...); }, std::tuple_cat(storedParts(parts)...));
  return statement;
}
// Does startWith() and then all steps.
template <typename... Parts>
Status runWith(sqlite::Statement& statement, const Parts&... parts) {
  startWith(statement, parts...);
  while (statement.next()) {
  }
  return statement.status();
}

// Tells where a column is read to: the value itself, or what becomes the value if it can.
template <typename Value>
struct ColumnTarget {
  const char* name;
  Value& value;

  Value& read() { return value; }
  bool take() { return true; }
};
template <>
struct ColumnTarget<std::int32_t> {
  const char* name;
  std::int32_t& value;
  std::int64_t stored = 0;

  std::int64_t& read() { return stored; }
  bool take() {
    value = static_cast<std::int32_t>(stored);
    return std::in_range<std::int32_t>(stored);
  }
};
template <typename Item>
struct ColumnTarget<std::vector<Item>> {
  const char* name;
  std::vector<Item>& list;
  std::string text{};

  std::string& read() { return text; }
  bool take() { return parseList(text, list); }
};

template <typename Value>
std::tuple<ColumnTarget<Value>> targetField(const Field<Value>& field) {
  return {ColumnTarget<Value>{field.column, field.value}};
}
template <typename Value>
std::tuple<> targetField(const Link<Value>& /*elsewhere*/) {
  return {};
}

template <typename Part>
auto targetParts(Part& part) {
  if constexpr (Listed<Part>) {
    return std::apply([](const auto&... field) { return std::tuple_cat(targetField(field)...); }, fieldsOf(part));
  } else {
    return std::tuple{ColumnTarget<Part>{"", part}};
  }
}

// Reads the row's columns from the left into the parts, as startWith() binds them. Returns the name of the first column
// that holds a number too large, or no list of whole numbers where it should; nullptr when all is well.
template <typename... Parts>
[[nodiscard]] const char* readRow(sqlite::Statement& statement, Parts&... parts) {
  auto targets = std::tuple_cat(targetParts(parts)...);
  return std::apply(
      [&statement](auto&... target) {
        statement.read(target.read()...);
        const char* damaged = nullptr;
        ((damaged == nullptr && !target.take() ? damaged = target.name : damaged), ...);
        return damaged;
      },
      targets);
}

}  // namespace starling
