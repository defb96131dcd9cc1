#include "store/record_sql.h"

#include <fmt/format.h>

namespace starling {
namespace {

// Joins `text(column, place)` of each column that `is_wanted`.
template <typename Wanted, typename Text>
std::string joined(const std::vector<Column>& columns, std::string_view separator, Wanted is_wanted, Text text) {
  std::string list;
  for (std::size_t place = 0; place < columns.size(); ++place) {
    if (!is_wanted(columns[place])) continue;
    if (!list.empty()) list += separator;
    list += text(columns[place], place);
  }
  return list;
}

bool isAny(const Column& /*column*/) { return true; }
bool isIdentity(const Column& column) { return column.on_conflict == OnConflict::kIdentifies; }
bool isUpdated(const Column& column) { return !isIdentity(column); }

std::string update(const Column& column, std::size_t /*place*/) {
  if (column.on_conflict == OnConflict::kReplaces) return fmt::format("{0} = excluded.{0}", column.name);
  return fmt::format("{0} = CASE {0} WHEN {1} THEN excluded.{0} ELSE {0} END", column.name, column.unknown);
}

std::vector<Column> concatenated(const std::vector<Column>& first, const std::vector<Column>& second) {
  std::vector<Column> all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

}  // namespace

std::string namesOf(const std::vector<Column>& columns) {
  return joined(columns, ", ", isAny, [](const Column& column, std::size_t) { return column.name; });
}

std::string selected(const std::vector<Column>& columns, std::string_view table, std::size_t steps) {
  return joined(columns, ", ", isAny, [table, steps](const Column& column, std::size_t) -> std::string {
    return column.first_step <= steps ? fmt::format("{}.{}", table, column.name) : "NULL";
  });
}

std::string parametersOf(const std::vector<Column>& columns, std::size_t first) {
  return joined(columns, ", ", isAny,
                [first](const Column&, std::size_t place) { return fmt::format("?{}", first + place); });
}

std::string equations(const std::vector<Column>& columns, std::size_t first, std::string_view separator) {
  return joined(columns, separator, isAny, [first](const Column& column, std::size_t place) {
    return fmt::format("{} = ?{}", column.name, first + place);
  });
}

std::string insertion(std::string_view table, const std::vector<Column>& owners, const std::vector<Column>& columns) {
  const std::vector<Column> all = concatenated(owners, columns);
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, namesOf(all), parametersOf(all, 1));
}

std::string upsertion(std::string_view table, const std::vector<Column>& owners, const std::vector<Column>& columns) {
  const std::vector<Column> all = concatenated(owners, columns);
  return fmt::format("{} ON CONFLICT ({}) DO UPDATE SET {}", insertion(table, owners, columns),
                     joined(all, ", ", isIdentity, [](const Column& column, std::size_t) { return column.name; }),
                     joined(all, ", ", isUpdated, update));
}

}  // namespace starling
