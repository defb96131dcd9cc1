#include "store/migration.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace starling {
namespace {

// Refuses what is no tuning database, or a newer one, from the header alone: a first SQL statement could already
// change a foreign file, by rolling back or writing forward what its own program left.
Status requireKnownFile(const sqlite::Connection& connection, const sqlite::FileHeader& header, std::size_t known) {
  if (header.is_empty) return Status::ok();
  if (!header.is_sqlite) {
    return connection.fault("it is no SQLite database; move it away, or set STARLING_DB to another file");
  }
  if (header.application_id != kApplicationId) {
    return connection.fault("it is another program's SQLite database; set STARLING_DB to another file");
  }
  if (header.user_version > known) {
    return connection.fault(
        fmt::format("its schema is version {} and this Starling knows version {} at most; use the newer Starling that "
                    "wrote it, or set STARLING_DB to another file",
                    header.user_version, known));
  }
  return Status::ok();
}

// A column that is computed when it is read may be any computation, however long it takes. (Virtual tables have no
// page, and do not work here.)
Status requirePlainColumns(const sqlite::Connection& connection) {
  std::vector<std::string> tables;
  sqlite::Statement names = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0");
  for (names.start(); names.next();) names.read(tables.emplace_back());
  if (!names.status().isOk()) return names.status();
  for (const std::string& table : tables) {
    std::string quoted;
    for (const char letter : table) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    sqlite::Statement columns = connection.prepare("PRAGMA table_xinfo(\"" + quoted + "\")");
    for (columns.start(); columns.next();) {
      std::int64_t index = 0;
      std::string name;
      std::string type;
      std::int64_t is_required = 0;
      std::string fallback;
      std::int64_t key = 0;
      std::int64_t hidden = 0;  // or computed
      columns.read(index, name, type, is_required, fallback, key, hidden);
      if (hidden == 0) continue;
      return connection.fault(fmt::format(
          "{}.{} is computed, as no column of Starling's is; move the file away, or set STARLING_DB to another file",
          table, name));
    }
    if (!columns.status().isOk()) return columns.status();
  }
  return Status::ok();
}

// Returns the steps that the file has gone through, as SQLite reads them under its lock.
Result<std::size_t> knownVersion(const sqlite::Connection& connection, std::size_t known) {
  const Result<sqlite::FileHeader> header = connection.header();
  if (!header.isOk()) return header.status();
  if (Status file = requireKnownFile(connection, header.value(), known); !file.isOk()) return file;
  sqlite::Statement statement = connection.prepare("PRAGMA user_version");
  std::size_t version = 0;
  if (statement.start().next()) statement.read(version);
  if (!statement.status().isOk()) return statement.status();
  if (Status plain = requirePlainColumns(connection); !plain.isOk()) return plain;
  return version;
}

}  // namespace

Result<std::size_t> schemaSteps(const sqlite::Connection& connection, std::span<const char* const> steps) {
  Result<std::size_t> version = knownVersion(connection, steps.size());
  if (version.isOk() && version.value() == 0) {
    return connection.fault("it is empty: no run has written to it; run a program with Starling first");
  }
  return version;
}

Status bringForward(const sqlite::Connection& connection, std::span<const char* const> steps) {
  Result<std::size_t> version = knownVersion(connection, steps.size());
  if (!version.isOk()) return version.status();
  if (version.value() == steps.size()) return Status::ok();

  // A step that rebuilds a table drops the former one, which must not take the rows with it that refer to it.
  if (Status unchecked = connection.execute("PRAGMA foreign_keys = OFF"); !unchecked.isOk()) return unchecked;
  sqlite::Transaction transaction(connection);
  if (!transaction.status().isOk()) return transaction.status();
  version = knownVersion(connection, steps.size());  // another process may have been here in the meantime
  if (!version.isOk()) return version.status();
  for (std::size_t step = version.value(); step < steps.size(); ++step) {
    if (Status taken = connection.execute(steps[step]); !taken.isOk()) return taken;
  }
  const std::string mark =
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, steps.size());
  if (Status marked = connection.execute(mark.c_str()); !marked.isOk()) return marked;
  return transaction.commit();
}

Result<sqlite::Connection> openForward(const std::string& path, Seconds patience) {
  Result<sqlite::Connection> opened = sqlite::Connection::open(path, sqlite::Access::kReadWrite, patience);
  if (!opened.isOk()) return opened;
  if (Status ready = bringForward(opened.value()); !ready.isOk()) return ready;
  Status configured =
      opened.value().execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
  if (!configured.isOk()) return configured;
  return opened;
}

}  // namespace starling
