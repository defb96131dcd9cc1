#include "store/database.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "store/batch_writer.h"
#include "store/merger.h"
#include "store/migration.h"
#include "store/policy_document.h"
#include "store/rows.h"
#include "store/run_rows.h"
#include "store/safe_path.h"
#include "store/sqlite.h"

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
  // Nothing is made behind a stranger's link.
  if (const Result<std::string> safe = safePath(path); !safe.isOk())
    return Status::error(fmt::format("cannot open {}: {}", path, safe.status().message()));
  const std::error_code fault = makeFolders(std::filesystem::path(path).parent_path());
  if (!fault) return Status::ok();
  return Status::error(
      fmt::format("cannot open {}: its folder cannot be made ({}); make it, or set STARLING_DB to another file", path,
                  fault.message()));
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
  if (path != ":memory:") {
    if (Status made = makeFolder(path); !made.isOk()) return made;
  }
  Result<sqlite::Connection> opened = openForward(path, patience);
  if (!opened.isOk()) return opened.status();
  return Database(std::make_unique<Connection>(Connection{std::move(opened).value()}));
}

template <typename Take>
Result<Merged> Database::inTransaction(const char* action, const Take& take) {
  const sqlite::Connection& connection = connection_->forAction(action);
  sqlite::Transaction transaction(connection);
  if (!transaction.status().isOk()) return transaction.status();
  const Result<Merged> merged = take(connection);
  if (!merged.isOk() || merged.value() == Merged::kKept) return merged;
  if (Status committed = transaction.commit(); !committed.isOk()) return committed;
  return merged;
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

Result<Merged> Database::compareRun(const std::string& run_id, const CallsOfKeys& calls, bool has_finished) {
  return starling::compareRun(connection_->forAction("read"), run_id, calls, has_finished);
}

Result<Merged> Database::mergeRun(const StoredRun& theirs) {
  return inTransaction("merge a run into",
                       [&](const sqlite::Connection& connection) { return starling::mergeRun(connection, theirs); });
}

Result<Merged> Database::mergePolicy(const StoredPolicy& theirs) {
  return inTransaction("merge a policy into",
                       [&](const sqlite::Connection& connection) { return starling::mergePolicy(connection, theirs); });
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
