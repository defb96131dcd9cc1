#include "store/batch_writer.h"

#include <fmt/format.h>

#include "store/history.h"
#include "store/record_sql.h"

namespace starling {
namespace {

constexpr std::size_t kLeastJoins = 64;  // a write may make so many joined records, however little it brought

}  // namespace

Status BatchWriter::write(const Batch& batch) {
  // Communicators and sites come first: keys refer to them, and all else refers to keys.
  using Part = Status (BatchWriter::*)(const Batch&);
  constexpr Part kParts[] = {
      &BatchWriter::writeCommunicators, &BatchWriter::writeSites,    &BatchWriter::writeKeys,
      &BatchWriter::writeObservations,  &BatchWriter::writeArrivals, &BatchWriter::writeHistograms,
      &BatchWriter::writeDecisions,     &BatchWriter::writePolicies, &BatchWriter::thinHistory};
  for (const Part part : kParts) {
    if (Status written = (this->*part)(batch); !written.isOk()) return written;
  }
  return Status::ok();
}

template <typename Record>
Status BatchWriter::writeOwned(const char* table, const std::vector<Record>& records) {
  sqlite::Statement statement =
      connection_.prepare(upsertion(table, {{"key", OnConflict::kIdentifies}}, columnsOf<Record>()));
  for (const Record& record : records) {
    const Result<std::int64_t> number = numberOf(record.key);
    if (!number.isOk()) return number.status();
    if (Status written = runWith(statement, number.value(), record); !written.isOk()) return written;
  }
  return statement.status();
}

Status BatchWriter::writeCommunicators(const Batch& batch) {
  sqlite::Statement statement = connection_.prepare(
      upsertion("communicators", {{"run", OnConflict::kIdentifies}}, columnsOf<CommunicatorRecord>()));
  for (const CommunicatorRecord& communicator : batch.communicators) {
    if (Status written = runWith(statement, run_.run, communicator); !written.isOk()) return written;
  }
  return statement.status();
}

Status BatchWriter::writeSites(const Batch& batch) {
  sqlite::Statement statement = connection_.prepare(upsertion("sites", {}, columnsOf<SiteRecord>()));
  for (const SiteRecord& site : batch.sites) {
    if (Status written = runWith(statement, site); !written.isOk()) return written;
  }
  return statement.status();
}

Status BatchWriter::writeKeys(const Batch& batch) {
  sqlite::Statement statement = connection_.prepare(
      fmt::format("UPDATE keys SET {} WHERE number = ?1", equations(columnsOf<KeyRecord>(), 2, ", ")));
  for (const KeyRecord& key : batch.keys) {
    const Result<std::int64_t> number = numberOf(key.id);
    if (!number.isOk()) return number.status();
    if (Status written = runWith(statement, number.value(), key); !written.isOk()) return written;
  }
  return statement.status();
}

Status BatchWriter::writeObservations(const Batch& batch) { return writeOwned("observations", batch.observations); }
Status BatchWriter::writeArrivals(const Batch& batch) { return writeOwned("arrivals", batch.arrivals); }
Status BatchWriter::writeHistograms(const Batch& batch) { return writeOwned("arrival_histograms", batch.histograms); }
Status BatchWriter::writeDecisions(const Batch& batch) { return writeOwned("decisions", batch.decisions); }

Status BatchWriter::writePolicies(const Batch& batch) {
  const std::vector<Column> owners = {
      {"environment", OnConflict::kIdentifies}, {"program", OnConflict::kIdentifies}, {"run", OnConflict::kReplaces}};
  sqlite::Statement statement = connection_.prepare(upsertion("policies", owners, columnsOf<PolicyRecord>()));
  for (const PolicyRecord& policy : batch.policies) {
    Status written = runWith(statement, run_.environment, run_.program, run_.run, policy);
    if (!written.isOk()) return written;
  }
  return statement.status();
}

// A step is bounded by what the batch brought: thinning holds the lock about as long as writing does, and keeps up.
Status BatchWriter::thinHistory(const Batch& batch) {
  if (numbers_.empty()) return Status::ok();
  History history(connection_);
  auto left = static_cast<std::int64_t>(kLeastJoins + batch.observations.size() + batch.histograms.size());
  for (const auto& [id, number] : numbers_) {
    const Result<std::int64_t> made = history.thin(number, left);
    if (!made.isOk()) return made.status();
    left -= made.value();
  }
  for (const DecisionRecord& decision : batch.decisions) {
    if (Status thinned = history.thinDecisions(numbers_.at(decision.key)); !thinned.isOk()) return thinned;
  }
  return Status::ok();
}

Result<std::int64_t> BatchWriter::numberOf(const KeyId& id) {
  if (const auto known = numbers_.find(id); known != numbers_.end()) return known->second;
  sqlite::Statement statement = connection_.prepare(
      fmt::format("SELECT keys.number FROM keys JOIN communicators ON communicators.number = keys.communicator "
                  "JOIN sites ON sites.number = keys.site WHERE communicators.run = ?1 AND communicators.id = ?2 "
                  "AND sites.identity = ?3 AND {}",
                  equations(columnsOf<KeyId>(), 4, " AND ")));
  std::int64_t number = 0;
  if (startWith(statement, run_.run, id.communicator, id.site, id).next()) {
    statement.read(number);
  } else {
    if (!statement.status().isOk()) return statement.status();
    Result<std::int64_t> inserted = insertKey(id);
    if (!inserted.isOk()) return inserted;
    number = inserted.value();
  }
  numbers_.emplace(id, number);
  return number;
}

Result<std::int64_t> BatchWriter::insertKey(const KeyId& id) {
  const std::vector<Column> columns = columnsOf<KeyId>();
  sqlite::Statement insert = connection_.prepare(
      fmt::format("INSERT INTO keys (communicator, site, {}, bytes, calls, exploration_calls, state, choice, "
                  "virtual_ranks, cycle, outlook) SELECT communicators.number, sites.number, {}, 0, 0, 0, 'observing', "
                  "'native', '[]', '', '' "
                  "FROM communicators, sites WHERE communicators.run = ?1 AND communicators.id = ?2 "
                  "AND sites.identity = ?3",
                  namesOf(columns), parametersOf(columns, 4)));
  Status inserted = runWith(insert, run_.run, id.communicator, id.site, id);
  if (!inserted.isOk()) return inserted;
  if (connection_.changes() == 0) {
    return connection_.fault(
        fmt::format("a key names communicator \"{}\" and site \"{}\", of which one was never written in this run; "
                    "write their records before it, or with it",
                    id.communicator, id.site));
  }
  sqlite::Statement latest = connection_.prepare("SELECT last_insert_rowid()");
  std::int64_t number = 0;
  if (latest.start().next()) latest.read(number);
  if (!latest.status().isOk()) return latest.status();
  return number;
}

}  // namespace starling
