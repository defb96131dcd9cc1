#include "store/pruner.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "store/history.h"
#include "store/migration.h"
#include "store/sqlite.h"

namespace starling {
namespace {

constexpr Seconds kPrunePatience{5.0};
// So many rows are removed, and so many records of joined epochs made, in one transaction.
constexpr std::int64_t kRowsAtOnce = 4096;
constexpr std::int64_t kJoinsAtOnce = 512;

}  // namespace

struct Pruner::Connection {
  sqlite::Connection sqlite;

  // Does `change(connection)`, a Status, in a transaction of its own.
  template <typename Change>
  Status change(const char* action, Change change) {
    sqlite.beginCall(action);
    sqlite::Transaction transaction(sqlite);
    if (!transaction.status().isOk()) return transaction.status();
    if (Status changed = change(sqlite); !changed.isOk()) return changed;
    return transaction.commit();
  }

  // Removes the rows of a key from a table, some at a time.
  Status removeRows(const char* table, std::int64_t key) {
    const std::string sql = fmt::format(
        "DELETE FROM {0} WHERE number IN (SELECT number FROM {0} WHERE key = ?1 LIMIT {1})", table, kRowsAtOnce);
    std::int64_t removed = kRowsAtOnce;
    while (removed == kRowsAtOnce) {
      const Status step = change("remove records from", [&](const sqlite::Connection& connection) {
        Status done = connection.prepare(sql).run(key);
        removed = connection.changes();
        return done;
      });
      if (!step.isOk()) return step;
    }
    return Status::ok();
  }

  Result<std::vector<std::int64_t>> keys() {
    sqlite.beginCall("read");
    sqlite::Statement statement = sqlite.prepare("SELECT number FROM keys ORDER BY number");
    std::vector<std::int64_t> numbers;
    statement.start();
    while (statement.next()) statement.read(numbers.emplace_back());
    if (!statement.status().isOk()) return statement.status();
    return numbers;
  }

  // Returns whether more is due.
  Result<bool> thinSome(std::int64_t key) {
    std::int64_t made = 0;
    const Status thinned = change("thin the history in", [&](const sqlite::Connection& connection) {
      History history(connection);
      const Result<std::int64_t> joined = history.thin(key, kJoinsAtOnce);
      if (!joined.isOk()) return joined.status();
      made = joined.value();
      return history.thinDecisions(key);
    });
    if (!thinned.isOk()) return thinned;
    return made > 0;
  }
};

Pruner::Pruner(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Pruner::~Pruner() = default;
Pruner::Pruner(Pruner&&) noexcept = default;
Pruner& Pruner::operator=(Pruner&&) noexcept = default;

Result<Pruner> Pruner::open(const std::string& path) {
  Result<sqlite::Connection> opened = openForward(path, kPrunePatience);
  if (!opened.isOk()) return opened.status();
  return Pruner(std::make_unique<Connection>(Connection{std::move(opened).value()}));
}

Status Pruner::removeKey(std::int64_t key_number) {
  for (const char* table : {"observations", "arrivals", "arrival_histograms", "decisions"}) {
    if (Status removed = connection_->removeRows(table, key_number); !removed.isOk()) return removed;
  }
  return connection_->change("remove a key from", [key_number](const sqlite::Connection& connection) {
    return connection.prepare("DELETE FROM keys WHERE number = ?1").run(key_number);
  });
}

Status Pruner::removeRun(std::int64_t run_number) {
  return connection_->change("remove a run from", [run_number](const sqlite::Connection& connection) {
    return connection.prepare("DELETE FROM runs WHERE number = ?1").run(run_number);
  });
}

Status Pruner::removePolicies(std::span<const std::int64_t> numbers) {
  return connection_->change("remove policies from", [numbers](const sqlite::Connection& connection) {
    sqlite::Statement removal = connection.prepare("DELETE FROM policies WHERE number = ?1");
    for (const std::int64_t number : numbers) {
      if (Status removed = removal.run(number); !removed.isOk()) return removed;
    }
    return Status::ok();
  });
}

Status Pruner::thin() {
  const auto keys = connection_->keys();
  if (!keys.isOk()) return keys.status();
  for (const std::int64_t key : keys.value()) {
    bool is_due = true;
    while (is_due) {
      const Result<bool> more = connection_->thinSome(key);
      if (!more.isOk()) return more.status();
      is_due = more.value();
    }
  }
  return Status::ok();
}

Status Pruner::compact() {
  connection_->sqlite.beginCall("compact");
  return connection_->sqlite.vacuum();
}

}  // namespace starling
