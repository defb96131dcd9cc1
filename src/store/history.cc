#include "store/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/joined_records.h"
#include "store/record_sql.h"

namespace starling {
namespace {

// A level of a key's history: records of equally many epochs, of which there are too many.
struct Level {
  std::int64_t epochs = 0;
  std::int64_t records = 0;
  std::string choice;  // of observations
  bool exploration = false;

  // Returns how many of the oldest are to be joined, so that at most `most` records come of them.
  std::int64_t due(std::int64_t most) const {
    return std::min((records - kEpochsKept) / kEpochsJoined, most) * kEpochsJoined;
  }
};

template <typename Record>
struct Row {
  std::int64_t number = 0;
  Record record;
};

// Reads the rows of `statement`, which selects a number and the record's columns. A row that is damaged is left out: it
// tells nothing, and is not to keep a run from writing.
template <typename Record>
Result<std::vector<Row<Record>>> rowsOf(sqlite::Statement& statement) {
  std::vector<Row<Record>> rows;
  while (statement.next()) {
    Row<Record>& row = rows.emplace_back();
    if (readRow(statement, row.number, row.record) != nullptr) rows.pop_back();
  }
  if (!statement.status().isOk()) return statement.status();
  return rows;
}

template <typename Record>
std::vector<Record> recordsOf(std::span<const Row<Record>> rows) {
  std::vector<Record> records;
  for (const Row<Record>& row : rows) records.push_back(row.record);
  return records;
}

std::string updateOf(const char* table, const std::vector<Column>& columns) {
  return fmt::format("UPDATE {} SET {} WHERE number = ?1", table, equations(columns, 2, ", "));
}

// Returns the levels that `statement` selects.
template <typename Read>
Result<std::vector<Level>> levelsOf(sqlite::Statement& statement, Read read) {
  std::vector<Level> levels;
  while (statement.next()) read(levels.emplace_back());
  if (!statement.status().isOk()) return statement.status();
  return levels;
}

// Joins kEpochsJoined rows at a time: see History::Joiner.
template <typename Record, typename Joiner>
Status joinRows(Joiner& joiner, const std::vector<Row<Record>>& all) {
  const std::span rows(all);
  for (std::size_t first = 0; first + kEpochsJoined <= rows.size(); first += kEpochsJoined) {
    const auto group = rows.subspan(first, kEpochsJoined);
    for (const Row<Record>& row : group.first(kEpochsJoined - 1)) {
      if (Status removed = joiner.removal.run(row.number); !removed.isOk()) return removed;
    }
    const Record whole = joined(recordsOf<Record>(group));
    if (Status updated = runWith(joiner.update, group.back().number, whole); !updated.isOk()) return updated;
  }
  return Status::ok();
}

}  // namespace

History::History(const sqlite::Connection& connection)
    : connection_(connection),
      crowded_observations_(
          connection.prepare("SELECT epochs, count(*), choice, exploration FROM observations WHERE key = ?1 "
                             "GROUP BY choice, exploration, epochs HAVING count(*) >= ?2 ORDER BY epochs")),
      crowded_histograms_(connection.prepare("SELECT epochs, count(*) FROM arrival_histograms WHERE key = ?1 "
                                             "GROUP BY epochs HAVING count(*) >= ?2 ORDER BY epochs")),
      oldest_observations_(connection.prepare(
          fmt::format("SELECT number, {} FROM observations WHERE key = ?1 AND choice = ?2 AND exploration = ?3 "
                      "AND epochs = ?4 ORDER BY epoch, number LIMIT ?5",
                      selected<ObservationRecord>("observations")))),
      oldest_histograms_(connection.prepare(fmt::format(
          "SELECT number, {} FROM arrival_histograms WHERE key = ?1 AND epochs = ?2 ORDER BY epoch LIMIT ?3",
          selected<HistogramRecord>("arrival_histograms")))),
      arrivals_between_(connection.prepare(
          fmt::format("SELECT number, {} FROM arrivals WHERE key = ?1 AND epoch BETWEEN ?2 AND ?3 ORDER BY epoch",
                      selected<ArrivalRecord>("arrivals")))),
      remove_arrivals_(connection.prepare("DELETE FROM arrivals WHERE key = ?1 AND epoch BETWEEN ?2 AND ?3")),
      insert_arrival_(
          connection.prepare(insertion("arrivals", {{"key", OnConflict::kIdentifies}}, columnsOf<ArrivalRecord>()))),
      observations_{connection.prepare(updateOf("observations", columnsOf<ObservationRecord>())),
                    connection.prepare("DELETE FROM observations WHERE number = ?1")},
      histograms_{connection.prepare(updateOf("arrival_histograms", columnsOf<HistogramRecord>())),
                  connection.prepare("DELETE FROM arrival_histograms WHERE number = ?1")} {}

Result<std::int64_t> History::thin(std::int64_t key, std::int64_t most) {
  Result<std::int64_t> observations = thinObservations(key, most);
  if (!observations.isOk()) return observations;
  Result<std::int64_t> arrivals = thinArrivals(key, most - observations.value());
  if (!arrivals.isOk()) return arrivals;
  return observations.value() + arrivals.value();
}

Status History::thinDecisions(std::int64_t key) {
  return connection_
      .prepare(
          "DELETE FROM decisions WHERE number IN (SELECT number FROM decisions WHERE key = ?1 "
          "ORDER BY epoch DESC, call DESC, number DESC LIMIT -1 OFFSET ?2)")
      .run(key, kDecisionsKept);
}

Result<std::int64_t> History::thinObservations(std::int64_t key, std::int64_t most) {
  crowded_observations_.start(key, 2 * kEpochsKept);
  const auto levels = levelsOf(crowded_observations_, [this](Level& level) {
    crowded_observations_.read(level.epochs, level.records, level.choice, level.exploration);
  });
  if (!levels.isOk()) return levels.status();
  std::int64_t made = 0;
  for (const Level& level : levels.value()) {
    oldest_observations_.start(key, level.choice, level.exploration, level.epochs, level.due(most - made));
    const auto rows = rowsOf<ObservationRecord>(oldest_observations_);
    if (!rows.isOk()) return rows.status();
    if (Status done = joinRows<ObservationRecord>(observations_, rows.value()); !done.isOk()) return done;
    made += static_cast<std::int64_t>(rows.value().size()) / kEpochsJoined;
  }
  return made;
}

Result<std::int64_t> History::thinArrivals(std::int64_t key, std::int64_t most) {
  crowded_histograms_.start(key, 2 * kEpochsKept);
  const auto levels =
      levelsOf(crowded_histograms_, [this](Level& level) { crowded_histograms_.read(level.epochs, level.records); });
  if (!levels.isOk()) return levels.status();
  std::int64_t made = 0;
  for (const Level& level : levels.value()) {
    oldest_histograms_.start(key, level.epochs, level.due(most - made));
    const auto read = rowsOf<HistogramRecord>(oldest_histograms_);
    if (!read.isOk()) return read.status();
    const auto& rows = read.value();
    for (std::size_t first = 0; first + kEpochsJoined <= rows.size(); first += kEpochsJoined) {
      const Status done = joinArrivals(key, rows[first].record.epoch, rows[first + kEpochsJoined - 1].record.epoch);
      if (!done.isOk()) return done;
    }
    if (Status done = joinRows<HistogramRecord>(histograms_, rows); !done.isOk()) return done;
    made += static_cast<std::int64_t>(rows.size()) / kEpochsJoined;
  }
  return made;
}

Status History::joinArrivals(std::int64_t key, std::int64_t first_epoch, std::int64_t last_epoch) {
  arrivals_between_.start(key, first_epoch, last_epoch);
  const auto read = rowsOf<ArrivalRecord>(arrivals_between_);
  if (!read.isOk()) return read.status();
  if (Status removed = remove_arrivals_.run(key, first_epoch, last_epoch); !removed.isOk()) return removed;
  for (const ArrivalRecord& arrival : joinedByRank(recordsOf<ArrivalRecord>(read.value()), last_epoch)) {
    if (Status inserted = runWith(insert_arrival_, key, arrival); !inserted.isOk()) return inserted;
  }
  return Status::ok();
}

}  // namespace starling
