#include "store/merger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "store/batch_writer.h"
#include "store/record_sql.h"
#include "store/rows.h"
#include "store/run_rows.h"

namespace starling {
namespace {

// What this file holds of a run.
struct KnownRun {
  std::int64_t number = 0;
  std::optional<std::int64_t> finished;
  CallsOfKeys calls;
};

Result<std::optional<KnownRun>> findKnownRun(const sqlite::Connection& connection, const std::string& run_id) {
  sqlite::Statement statement = connection.prepare("SELECT number, finished FROM runs WHERE id = ?1");
  KnownRun run;
  if (!statement.start(run_id).next()) {
    if (!statement.status().isOk()) return statement.status();
    return std::optional<KnownRun>();
  }
  statement.read(run.number, run.finished);
  Result<CallsOfKeys> calls = selectCallsOfKeys(connection, run.number);
  if (!calls.isOk()) return calls.status();
  run.calls = std::move(calls).value();
  return std::optional(std::move(run));
}

bool isFinishedThereAlone(const KnownRun& ours, bool has_finished) { return has_finished && !ours.finished; }

// Calls of a key only grow, and then its run finishes: what has more of them is the newer state.
std::set<KeyId> newerKeys(const KnownRun& ours, const CallsOfKeys& theirs, bool has_finished) {
  std::set<KeyId> newer;
  for (const auto& [key, calls] : theirs) {
    const auto known = ours.calls.find(key);
    const bool is_newer = known == ours.calls.end() || calls > known->second ||
                          (calls == known->second && isFinishedThereAlone(ours, has_finished));
    if (is_newer) newer.insert(key);
  }
  return newer;
}

// Of the records, keeps those of these keys.
void keepRecordsOf(const std::set<KeyId>& keys, Batch& records) {
  std::set<std::string> communicators;
  std::set<std::string> sites;
  for (const KeyId& key : keys) {
    communicators.insert(key.communicator);
    sites.insert(key.site);
  }
  std::erase_if(records.communicators, [&](const auto& one) { return !communicators.contains(one.id); });
  std::erase_if(records.sites, [&](const auto& one) { return !sites.contains(one.identity); });
  std::erase_if(records.keys, [&](const auto& one) { return !keys.contains(one.id); });
  const auto is_of_other = [&](const auto& one) { return !keys.contains(one.key); };
  std::erase_if(records.observations, is_of_other);
  std::erase_if(records.arrivals, is_of_other);
  std::erase_if(records.histograms, is_of_other);
  std::erase_if(records.decisions, is_of_other);
}

// Removes the keys with all their records.
Status removeKeys(const sqlite::Connection& connection, std::int64_t run, const std::set<KeyId>& keys) {
  sqlite::Statement statement = connection.prepare(
      fmt::format("DELETE FROM keys WHERE communicator = (SELECT number FROM communicators WHERE run = ?1 AND id = ?2) "
                  "AND site = (SELECT number FROM sites WHERE identity = ?3) AND {}",
                  equations(columnsOf<KeyId>(), 4, " AND ")));
  for (const KeyId& key : keys) {
    if (Status removed = runWith(statement, run, key.communicator, key.site, key); !removed.isOk()) return removed;
  }
  return Status::ok();
}

Status finishLikeThem(const sqlite::Connection& connection, std::int64_t run, const StoredRun& theirs) {
  const BesideKeys& beside_keys = theirs.run.beside_keys;
  return connection
      .prepare(
          "UPDATE runs SET finished = ?2, seconds = ?3, unprepared_calls = ?4, unprepared_seconds = ?5, "
          "preparing_seconds = ?6 WHERE number = ?1")
      .run(run, theirs.finished, theirs.run.seconds, beside_keys.calls, beside_keys.seconds, beside_keys.preparing);
}

CallsOfKeys callsOf(const StoredRun& run) {
  CallsOfKeys calls;
  for (const KeyRecord& key : run.records.keys) calls[key.id] = key.calls;
  return calls;
}

Result<Merged> comparePolicies(const sqlite::Connection& connection, std::int64_t environment,
                               const StoredPolicy& theirs) {
  sqlite::Statement statement = connection.prepare(
      fmt::format("SELECT runs.id, runs.started, {}, {} FROM policies LEFT JOIN runs ON runs.number = policies.run "
                  "WHERE policies.environment = ?1 AND policies.program = ?2 AND site = ?3 AND communicator_size = ?4 "
                  "AND size_class = ?5 AND type = ?6 AND operation = ?7",
                  selectionOfCallsForPolicy(), selected<PolicyRecord>("policies")));
  const PolicyRecord& policy = theirs.policy;
  statement.start(environment, theirs.program, policy.site, policy.communicator_size, policy.size_class, policy.type,
                  policy.operation);
  if (!statement.next()) {
    if (!statement.status().isOk()) return statement.status();
    return Merged::kAdded;
  }
  std::optional<std::string> run_id;
  std::optional<std::int64_t> started;
  std::int64_t calls = 0;
  PolicyRecord ours;
  const bool is_whole = readRow(statement, run_id, started, calls, ours) == nullptr;
  if (run_id && run_id == theirs.run_id) {
    const bool is_same = is_whole && ours == policy;
    return !is_same && theirs.calls >= calls ? Merged::kRenewed : Merged::kKept;
  }
  const bool is_newer = theirs.started && started && *theirs.started > *started;
  return is_newer ? Merged::kRenewed : Merged::kKept;
}

}  // namespace

Result<Merged> compareRun(const sqlite::Connection& connection, const std::string& run_id, const CallsOfKeys& calls,
                          bool has_finished) {
  const Result<std::optional<KnownRun>> ours = findKnownRun(connection, run_id);
  if (!ours.isOk()) return ours.status();
  if (!ours.value()) return Merged::kAdded;
  const bool is_newer =
      isFinishedThereAlone(*ours.value(), has_finished) || !newerKeys(*ours.value(), calls, has_finished).empty();
  return is_newer ? Merged::kRenewed : Merged::kKept;
}

Result<Merged> mergeRun(const sqlite::Connection& connection, const StoredRun& theirs) {
  const Result<std::optional<KnownRun>> ours = findKnownRun(connection, theirs.run.id);
  if (!ours.isOk()) return ours.status();
  Batch records = theirs.records;
  if (ours.value()) {
    const bool has_finished = theirs.finished.has_value();
    const std::set<KeyId> newer = newerKeys(*ours.value(), callsOf(theirs), has_finished);
    if (newer.empty() && !isFinishedThereAlone(*ours.value(), has_finished)) return Merged::kKept;
    if (Status removed = removeKeys(connection, ours.value()->number, newer); !removed.isOk()) return removed;
    keepRecordsOf(newer, records);
  } else if (Status inserted = insertRun(connection, theirs.run); !inserted.isOk()) {
    return inserted;
  }
  const Result<RunNumbers> run = findRun(connection, theirs.run.id);
  if (!run.isOk()) return run.status();
  if (Status written = BatchWriter(connection, run.value()).write(records); !written.isOk()) return written;
  if (!ours.value() || !ours.value()->finished) {
    if (Status finished = finishLikeThem(connection, *run.value().run, theirs); !finished.isOk()) return finished;
  }
  return ours.value() ? Merged::kRenewed : Merged::kAdded;
}

Result<Merged> mergePolicy(const sqlite::Connection& connection, const StoredPolicy& theirs) {
  const Result<std::int64_t> environment = insertEnvironment(connection, theirs.environment);
  if (!environment.isOk()) return environment.status();
  const Result<Merged> merged = comparePolicies(connection, environment.value(), theirs);
  if (!merged.isOk() || merged.value() == Merged::kKept) return merged;
  RunNumbers owner{std::nullopt, environment.value(), theirs.program};
  if (theirs.run_id) {
    sqlite::Statement learner = connection.prepare("SELECT number FROM runs WHERE id = ?1");
    if (learner.start(*theirs.run_id).next()) learner.read(owner.run);
    if (!learner.status().isOk()) return learner.status();
  }
  Batch batch;
  batch.policies = {theirs.policy};
  if (Status written = BatchWriter(connection, owner).write(batch); !written.isOk()) return written;
  return merged;
}

}  // namespace starling
