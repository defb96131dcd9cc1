#include "store/database.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "store/batch_writer.h"
#include "store/migration.h"
#include "store/policy_document.h"
#include "store/record_sql.h"
#include "store/rows.h"
#include "store/sqlite.h"
#include "store/stored_run.h"

namespace starling {
namespace {

// Makes the folder and those it lies in, for others to read at most.
std::error_code makeFolders(const std::filesystem::path& folder) {
  std::error_code fault;
  if (folder.empty() || std::filesystem::is_directory(folder, fault)) return {};
  if (folder.has_relative_path()) {
    if (const std::error_code above = makeFolders(folder.parent_path())) return above;
  }
  if (::mkdir(folder.c_str(), 0755) == 0) return {};
  const std::error_code refused(errno, std::generic_category());
  return std::filesystem::is_directory(folder, fault) ? std::error_code() : refused;  // another process was quicker
}

Status makeFolder(const std::string& path) {
  const std::error_code fault = makeFolders(std::filesystem::path(path).parent_path());
  if (!fault) return Status::ok();
  return Status::error(
      fmt::format("cannot open {}: its folder cannot be made ({}); make it, or set STARLING_DB to another file", path,
                  fault.message()));
}

// Returns the number of the environment, whose row is made where there is none yet. REQUIRES: a transaction is open.
Result<std::int64_t> insertEnvironment(const sqlite::Connection& connection, const Environment& environment) {
  sqlite::Statement insert =
      connection.prepare(insertion("environments", {}, columnsOf<Environment>()) + " ON CONFLICT DO NOTHING");
  if (Status inserted = runWith(insert, environment); !inserted.isOk()) return inserted;
  return environmentNumber(connection, environment);
}

Status insertRun(const sqlite::Connection& connection, const Run& run) {
  const Result<std::int64_t> number = insertEnvironment(connection, run.environment);
  if (!number.isOk()) return number.status();
  const std::vector<Column> owner = {{"environment", OnConflict::kReplaces}};
  sqlite::Statement insert = connection.prepare(insertion("runs", owner, columnsOf<Run>()) + " ON CONFLICT DO NOTHING");
  if (Status inserted = runWith(insert, number.value(), run); !inserted.isOk()) return inserted;
  if (connection.changes() == 0) {
    return connection.fault(fmt::format("it holds a run \"{}\" already; give every run an id of its own", run.id));
  }
  return Status::ok();
}

Status unknownRun(const sqlite::Connection& connection, const std::string& run_id) {
  return connection.fault(
      fmt::format("it holds no run \"{}\": the run was never begun here, or was pruned; begin it first", run_id));
}

Result<RunNumbers> findRun(const sqlite::Connection& connection, const std::string& run_id) {
  sqlite::Statement statement = connection.prepare("SELECT number, environment, program FROM runs WHERE id = ?1");
  RunNumbers numbers;
  if (statement.start(run_id).next()) {
    statement.read(numbers.run, numbers.environment, numbers.program);
    return numbers;
  }
  return statement.status().isOk() ? unknownRun(connection, run_id) : statement.status();
}

// What this file holds of a run.
struct KnownRun {
  std::int64_t number = 0;
  std::int64_t calls = 0;  // of its keys, all together
  std::optional<std::int64_t> finished;
};

Result<std::optional<KnownRun>> findKnownRun(const sqlite::Connection& connection, const std::string& run_id) {
  sqlite::Statement statement = connection.prepare(
      "SELECT number, finished, (SELECT coalesce(sum(calls), 0) FROM keys JOIN communicators "
      "ON communicators.number = keys.communicator WHERE communicators.run = runs.number) FROM runs WHERE id = ?1");
  std::optional<KnownRun> run;
  if (statement.start(run_id).next()) {
    run.emplace();
    statement.read(run->number, run->finished, run->calls);
  }
  if (!statement.status().isOk()) return statement.status();
  return run;
}

// Calls of a run only grow, and then it finishes: what has more of them is the newer state.
Merged compareRuns(const std::optional<KnownRun>& ours, std::int64_t calls, bool has_finished) {
  if (!ours) return Merged::kAdded;
  const bool is_newer = calls > ours->calls || (calls == ours->calls && has_finished && !ours->finished);
  return is_newer ? Merged::kRenewed : Merged::kKept;
}

std::int64_t callsOf(const StoredRun& run) {
  std::int64_t calls = 0;
  for (const KeyRecord& key : run.records.keys) calls += key.calls;
  return calls;
}

// Removes all records of a run but the run itself, to which policies refer.
Status removeRecords(const sqlite::Connection& connection, std::int64_t run) {
  return connection.prepare("DELETE FROM communicators WHERE run = ?1").run(run);
}

Status fillRun(const sqlite::Connection& connection, const StoredRun& theirs) {
  const Result<RunNumbers> run = findRun(connection, theirs.run.id);
  if (!run.isOk()) return run.status();
  if (Status written = BatchWriter(connection, run.value()).write(theirs.records); !written.isOk()) return written;
  const BesideKeys& beside_keys = theirs.run.beside_keys;
  return connection
      .prepare(
          "UPDATE runs SET finished = ?2, seconds = ?3, unprepared_calls = ?4, unprepared_seconds = ?5, "
          "preparing_seconds = ?6 WHERE number = ?1")
      .run(run.value().run, theirs.finished, theirs.run.seconds, beside_keys.calls, beside_keys.seconds,
           beside_keys.preparing);
}

// Tells what becomes of their policy: the one wins that the later run learned, ours where the run of either is not
// known.
Result<Merged> comparePolicies(const sqlite::Connection& connection, std::int64_t environment,
                               const StoredPolicy& theirs) {
  sqlite::Statement statement = connection.prepare(
      "SELECT runs.started FROM policies LEFT JOIN runs ON runs.number = policies.run WHERE policies.environment = ?1 "
      "AND policies.program = ?2 AND site = ?3 AND communicator_size = ?4 AND size_class = ?5 AND type = ?6 "
      "AND operation = ?7");
  const PolicyRecord& policy = theirs.policy;
  statement.start(environment, theirs.program, policy.site, policy.communicator_size, policy.size_class, policy.type,
                  policy.operation);
  if (!statement.next()) {
    if (!statement.status().isOk()) return statement.status();
    return Merged::kAdded;
  }
  std::optional<std::int64_t> started;
  statement.read(started);
  const bool is_newer = theirs.started && started && *theirs.started > *started;
  return is_newer ? Merged::kRenewed : Merged::kKept;
}

}  // namespace

struct Database::Connection {
  sqlite::Connection sqlite;

  const sqlite::Connection& forAction(const char* action) {
    sqlite.beginCall(action);
    return sqlite;
  }
};

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::~Database() = default;
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;

Result<Database> Database::open(const std::string& path, Seconds patience) {
  if (Status made = makeFolder(path); !made.isOk()) return made;
  Result<sqlite::Connection> opened = openForward(path, patience);
  if (!opened.isOk()) return opened.status();
  return Database(std::make_unique<Connection>(Connection{std::move(opened).value()}));
}

Status Database::beginRun(const Run& run) {
  const sqlite::Connection& connection = connection_->forAction("begin a run in");
  sqlite::Transaction transaction(connection);
  if (!transaction.status().isOk()) return transaction.status();
  if (Status inserted = insertRun(connection, run); !inserted.isOk()) return inserted;
  return transaction.commit();
}

Status Database::write(const std::string& run_id, const Batch& batch) {
  if (batch.isEmpty()) return Status::ok();
  const sqlite::Connection& connection = connection_->forAction("write to");
  sqlite::Transaction transaction(connection);
  if (!transaction.status().isOk()) return transaction.status();
  const Result<RunNumbers> run = findRun(connection, run_id);
  if (!run.isOk()) return run.status();
  if (Status written = BatchWriter(connection, run.value()).write(batch); !written.isOk()) return written;
  return transaction.commit();
}

Status Database::finishRun(const std::string& run_id, const std::optional<Seconds>& lasted,
                           const BesideKeys& beside_keys) {
  const sqlite::Connection& connection = connection_->forAction("finish a run in");
  sqlite::Transaction transaction(connection);
  if (!transaction.status().isOk()) return transaction.status();
  const std::optional<double> seconds = lasted ? std::optional(lasted->value) : std::nullopt;
  Status updated = connection
                       .prepare(
                           "UPDATE runs SET finished = CAST(strftime('%s', 'now') AS INTEGER), seconds = ?2, "
                           "unprepared_calls = ?3, unprepared_seconds = ?4, preparing_seconds = ?5 WHERE id = ?1")
                       .run(run_id, seconds, beside_keys.calls, beside_keys.seconds, beside_keys.preparing);
  if (!updated.isOk()) return updated;
  if (connection.changes() == 0) return unknownRun(connection, run_id);
  return transaction.commit();
}

Result<Merged> Database::compareRun(const std::string& run_id, std::int64_t calls, bool has_finished) {
  const Result<std::optional<KnownRun>> ours = findKnownRun(connection_->forAction("read"), run_id);
  if (!ours.isOk()) return ours.status();
  return compareRuns(ours.value(), calls, has_finished);
}

Result<Merged> Database::mergeRun(const StoredRun& theirs) {
  const sqlite::Connection& connection = connection_->forAction("merge a run into");
  sqlite::Transaction transaction(connection);
  if (!transaction.status().isOk()) return transaction.status();
  const Result<std::optional<KnownRun>> ours = findKnownRun(connection, theirs.run.id);
  if (!ours.isOk()) return ours.status();
  const Merged merged = compareRuns(ours.value(), callsOf(theirs), theirs.finished.has_value());
  if (merged == Merged::kKept) return merged;
  const Status written =
      ours.value() ? removeRecords(connection, ours.value()->number) : insertRun(connection, theirs.run);
  if (!written.isOk()) return written;
  if (Status filled = fillRun(connection, theirs); !filled.isOk()) return filled;
  if (Status committed = transaction.commit(); !committed.isOk()) return committed;
  return merged;
}

Result<Merged> Database::mergePolicy(const StoredPolicy& theirs) {
  const sqlite::Connection& connection = connection_->forAction("merge a policy into");
  sqlite::Transaction transaction(connection);
  if (!transaction.status().isOk()) return transaction.status();
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
  if (Status committed = transaction.commit(); !committed.isOk()) return committed;
  return merged;
}

Result<std::vector<PolicyRecord>> Database::policies(const Environment& environment, const std::string& program) {
  const sqlite::Connection& connection = connection_->forAction("read policies from");
  const Result<std::int64_t> number = environmentNumber(connection, environment);
  if (!number.isOk()) return number.status();
  return selectPolicies(connection, number.value(), program, PolicyOrder::kNewestFirst);
}

Status Database::importPolicies(const PolicyDocument& document) {
  const sqlite::Connection& connection = connection_->forAction("import policies into");
  sqlite::Transaction transaction(connection);
  if (!transaction.status().isOk()) return transaction.status();
  const Result<std::int64_t> environment = insertEnvironment(connection, document.environment);
  if (!environment.isOk()) return environment.status();
  const RunNumbers owner{std::nullopt, environment.value(), document.program};
  Batch batch;
  batch.policies = document.policies;
  if (Status written = BatchWriter(connection, owner).write(batch); !written.isOk()) return written;
  return transaction.commit();
}

}  // namespace starling
