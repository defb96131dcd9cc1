#include "store/batch_writer.h"

#include <fmt/format.h>

#include "store/rows.h"

namespace starling {

Status BatchWriter::write(const Batch& batch) {
  // Communicators and sites first: keys refer to them, and all else refers to keys.
  using Part = Status (BatchWriter::*)(const Batch&);
  constexpr Part kParts[] = {&BatchWriter::writeCommunicators, &BatchWriter::writeSites,
                             &BatchWriter::writeKeys,          &BatchWriter::writeObservations,
                             &BatchWriter::writeArrivals,      &BatchWriter::writeDecisions,
                             &BatchWriter::writePolicies};
  for (const Part part : kParts) {
    if (Status written = (this->*part)(batch); !written.isOk()) return written;
  }
  return Status::ok();
}

Status BatchWriter::writeCommunicators(const Batch& batch) {
  sqlite::Statement statement = connection_.prepare(
      "INSERT INTO communicators (run, id, name, size) VALUES (?1, ?2, ?3, ?4) "
      "ON CONFLICT (run, id) DO UPDATE SET name = excluded.name, size = excluded.size");
  for (const CommunicatorRecord& communicator : batch.communicators) {
    Status written = statement.run(run_.run, communicator.id, communicator.name, communicator.size);
    if (!written.isOk()) return written;
  }
  return statement.status();
}

Status BatchWriter::writeSites(const Batch& batch) {
  // What an earlier run could not tell is filled in; what it told stays.
  sqlite::Statement statement = connection_.prepare(
      "INSERT INTO sites (identity, label, module, build_id, offset, symbol) VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
      "ON CONFLICT (identity) DO UPDATE SET "
      "label = CASE label WHEN '' THEN excluded.label ELSE label END, "
      "module = CASE module WHEN '' THEN excluded.module ELSE module END, "
      "build_id = CASE build_id WHEN '' THEN excluded.build_id ELSE build_id END, "
      "offset = CASE offset WHEN 0 THEN excluded.offset ELSE offset END, "
      "symbol = CASE symbol WHEN '' THEN excluded.symbol ELSE symbol END");
  for (const SiteRecord& site : batch.sites) {
    Status written = statement.run(site.identity, site.label, site.module, site.build_id, site.offset, site.symbol);
    if (!written.isOk()) return written;
  }
  return statement.status();
}

Status BatchWriter::writeKeys(const Batch& batch) {
  sqlite::Statement statement = connection_.prepare(
      "UPDATE keys SET bytes = ?2, calls = ?3, exploration_calls = ?4, seconds = ?5, imbalance = ?6, state = ?7, "
      "choice = ?8, virtual_ranks = ?9, gain = ?10 WHERE number = ?1");
  for (const KeyRecord& key : batch.keys) {
    const Result<std::int64_t> number = numberOf(key.id);
    if (!number.isOk()) return number.status();
    Status written = statement.run(number.value(), key.bytes, key.calls, key.exploration_calls, key.seconds,
                                   key.imbalance, key.state, key.choice, formatList(key.table), key.gain);
    if (!written.isOk()) return written;
  }
  return statement.status();
}

Status BatchWriter::writeObservations(const Batch& batch) {
  sqlite::Statement statement = connection_.prepare(
      "INSERT INTO observations (key, epoch, choice, exploration, calls, samples, elapsed_mean, post_arrival_mean, "
      "post_arrival_minimum, post_arrival_deviation) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) "
      "ON CONFLICT (key, epoch, choice, exploration) DO UPDATE SET calls = excluded.calls, samples = excluded.samples, "
      "elapsed_mean = excluded.elapsed_mean, post_arrival_mean = excluded.post_arrival_mean, "
      "post_arrival_minimum = excluded.post_arrival_minimum, post_arrival_deviation = excluded.post_arrival_deviation");
  for (const ObservationRecord& seen : batch.observations) {
    const Result<std::int64_t> number = numberOf(seen.key);
    if (!number.isOk()) return number.status();
    Status written = statement.run(number.value(), seen.epoch, seen.choice, seen.exploration, seen.calls, seen.samples,
                                   seen.elapsed_mean, seen.post_arrival_mean, seen.post_arrival_minimum,
                                   seen.post_arrival_deviation);
    if (!written.isOk()) return written;
  }
  return statement.status();
}

Status BatchWriter::writeArrivals(const Batch& batch) {
  sqlite::Statement statement = connection_.prepare(
      "INSERT INTO arrivals (key, epoch, rank, samples, mean, deviation, predicted, method) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
      "ON CONFLICT (key, epoch, rank) DO UPDATE SET samples = excluded.samples, mean = excluded.mean, deviation = "
      "excluded.deviation, "
      "predicted = excluded.predicted, method = excluded.method");
  for (const ArrivalRecord& arrival : batch.arrivals) {
    const Result<std::int64_t> number = numberOf(arrival.key);
    if (!number.isOk()) return number.status();
    Status written = statement.run(number.value(), arrival.epoch, arrival.rank, arrival.samples, arrival.mean,
                                   arrival.deviation, arrival.predicted, arrival.method);
    if (!written.isOk()) return written;
  }
  return statement.status();
}

Status BatchWriter::writeDecisions(const Batch& batch) {
  sqlite::Statement statement = connection_.prepare(
      "INSERT INTO decisions (key, epoch, call, choice, virtual_ranks, reason, expected, measured, native) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) "
      "ON CONFLICT (key, epoch, call, choice) DO UPDATE SET virtual_ranks = excluded.virtual_ranks, reason = "
      "excluded.reason, "
      "expected = excluded.expected, measured = excluded.measured, native = excluded.native");
  for (const DecisionRecord& decision : batch.decisions) {
    const Result<std::int64_t> number = numberOf(decision.key);
    if (!number.isOk()) return number.status();
    Status written =
        statement.run(number.value(), decision.epoch, decision.call, decision.choice, formatList(decision.table),
                      decision.reason, decision.expected, decision.measured, decision.native);
    if (!written.isOk()) return written;
  }
  return statement.status();
}

Status BatchWriter::writePolicies(const Batch& batch) {
  sqlite::Statement statement = connection_.prepare(
      "INSERT INTO policies (environment, program, run, site, communicator_size, size_class, type, operation, choice, "
      "virtual_ranks, lateness_ns, gain, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) "
      "ON CONFLICT (environment, program, site, communicator_size, size_class, type, operation) DO UPDATE SET run = "
      "excluded.run, choice = excluded.choice, "
      "virtual_ranks = excluded.virtual_ranks, lateness_ns = excluded.lateness_ns, gain = excluded.gain, "
      "reason = excluded.reason");
  for (const PolicyRecord& policy : batch.policies) {
    Status written =
        statement.run(run_.environment, run_.program, run_.run, policy.site, policy.communicator_size,
                      policy.size_class, policy.type, policy.operation, policy.choice, formatList(policy.table),
                      formatList(policy.lateness_ns), policy.gain, policy.reason);
    if (!written.isOk()) return written;
  }
  return statement.status();
}

Result<std::int64_t> BatchWriter::numberOf(const KeyId& id) {
  if (const auto known = numbers_.find(id); known != numbers_.end()) return known->second;
  sqlite::Statement statement = connection_.prepare(
      "SELECT keys.number FROM keys JOIN communicators ON communicators.number = keys.communicator "
      "JOIN sites ON sites.number = keys.site WHERE communicators.run = ?1 AND communicators.id = ?2 "
      "AND sites.identity = ?3 AND size_class = ?4 AND type = ?5 AND operation = ?6");
  std::int64_t number = 0;
  if (statement.start(run_.run, id.communicator, id.site, id.size_class, id.type, id.operation).next()) {
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
  sqlite::Statement insert = connection_.prepare(
      "INSERT INTO keys (communicator, site, size_class, type, operation, bytes, calls, exploration_calls, state, "
      "choice, virtual_ranks) SELECT communicators.number, sites.number, ?4, ?5, ?6, 0, 0, 0, 'observing', 'native', "
      "'[]' FROM communicators, sites WHERE communicators.run = ?1 AND communicators.id = ?2 AND sites.identity = ?3");
  Status inserted = insert.run(run_.run, id.communicator, id.site, id.size_class, id.type, id.operation);
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
