#include "store/pruner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "store/history.h"
#include "store/migration.h"
#include "store/rows.h"
#include "store/sqlite.h"

namespace starling {
namespace {

constexpr Seconds kPrunePatience{5.0};
// So many rows are removed, and so many records of joined epochs made, in one transaction.
constexpr std::int64_t kRowsAtOnce = 8192;
constexpr std::int64_t kJoinsAtOnce = 256;
// So many keys are looked through under one lock.
constexpr std::int64_t kKeysAtOnce = 256;
// A run that is removed takes the time of so many rows, since all policies are searched for those that it learned.
constexpr std::int64_t kRowsOfARun = 128;
// The lock is free for so long between two transactions: who waits for it looks every 20 ms whether it is (sqlite.cc).
constexpr std::chrono::milliseconds kPause{25};

std::string removal(const char* table, const std::string& condition) {
  return fmt::format("DELETE FROM {0} WHERE number IN (SELECT number FROM {0} WHERE {1} LIMIT ?2)", table, condition);
}

// Return what removes at most ?2 rows at a time of run ?1, each of which has to find no more before the next is of use:
// no row then takes others with it.
std::vector<std::string> removalsOfKeys(const std::string& selection) {
  std::vector<std::string> removals;
  for (const char* table : {"observations", "arrivals", "arrival_histograms", "decisions"}) {
    removals.push_back(removal(table, fmt::format("key IN ({})", selection)));
  }
  removals.push_back(removal("keys", fmt::format("number IN ({})", selection)));
  return removals;
}

std::vector<std::string> removalsOfRuns() {
  std::vector<std::string> removals = removalsOfKeys(selectionOfKeys());
  removals.push_back(removal("communicators", "run = ?1"));
  removals.push_back(removal("runs", "number = ?1"));
  return removals;
}

// Selects those keys beyond ?1, up to ?2, whose history is to be thinned.
std::string selectionOfCrowdedKeys() {
  constexpr const char* kRange = "key > ?1 AND key <= ?2";
  return fmt::format(
      "SELECT key FROM observations WHERE {0} GROUP BY key, choice, exploration, epochs HAVING count(*) >= {1} "
      "UNION SELECT key FROM arrival_histograms WHERE {0} GROUP BY key, epochs HAVING count(*) >= {1} "
      "UNION SELECT key FROM decisions WHERE {0} GROUP BY key HAVING count(*) > {2} ORDER BY key",
      kRange, 2 * kEpochsKept, kDecisionsKept);
}

}  // namespace

struct Pruner::Connection {
  sqlite::Connection sqlite;
  bool has_changed = false;

  // Does `step()`, a Status, in a transaction of its own, before which others have had their turn.
  template <typename Step>
  Status change(const char* action, Step step) {
    if (std::exchange(has_changed, true)) std::this_thread::sleep_for(kPause);
    sqlite.beginCall(action);
    sqlite::Transaction transaction(sqlite);
    if (!transaction.status().isOk()) return transaction.status();
    if (Status changed = step(); !changed.isOk()) return changed;
    return transaction.commit();
  }

  // Does each of the removals until it finds no more, for run after run.
  Status remove(std::span<const std::int64_t> runs, const std::vector<std::string>& removals) {
    sqlite.beginCall("remove records from");
    std::vector<sqlite::Statement> statements;
    for (const std::string& sql : removals) statements.push_back(sqlite.prepare(sql));
    std::size_t run = 0;
    std::size_t next = 0;
    while (run < runs.size()) {
      const Status step = change("remove records from", [&] {
        std::int64_t left = kRowsAtOnce;
        while (left > 0 && run < runs.size()) {
          if (Status removed = statements[next].run(runs[run], left); !removed.isOk()) return removed;
          const bool is_all = sqlite.changes() < left;
          left -= sqlite.changes();
          if (!is_all) continue;
          next = (next + 1) % statements.size();
          if (next != 0) continue;
          ++run;
          left -= kRowsOfARun;
        }
        return Status::ok();
      });
      if (!step.isOk()) return step;
    }
    return Status::ok();
  }

  // Returns the numbers that `sql` selects.
  template <typename... Values>
  Result<std::vector<std::int64_t>> numbers(const std::string& sql, const Values&... values) {
    sqlite.beginCall("read");
    sqlite::Statement statement = sqlite.prepare(sql);
    std::vector<std::int64_t> numbers;
    statement.start(values...);
    while (statement.next()) statement.read(numbers.emplace_back());
    if (!statement.status().isOk()) return statement.status();
    return numbers;
  }

  // Thins the history of each of the keys.
  Status thin(History& history, std::span<const std::int64_t> keys) {
    std::size_t key = 0;
    while (key < keys.size()) {
      const Status step = change("thin the history in", [&] {
        std::int64_t left = kJoinsAtOnce;
        while (left > 0 && key < keys.size()) {
          const Result<std::int64_t> made = history.thin(keys[key], left);
          if (!made.isOk()) return made.status();
          left -= made.value();
          if (made.value() > 0) continue;
          if (Status thinned = history.thinDecisions(keys[key]); !thinned.isOk()) return thinned;
          ++key;
          --left;
        }
        return Status::ok();
      });
      if (!step.isOk()) return step;
    }
    return Status::ok();
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

Status Pruner::removeRuns(std::span<const std::int64_t> runs) { return connection_->remove(runs, removalsOfRuns()); }

Status Pruner::removeSites(std::span<const std::int64_t> sites, std::span<const std::int64_t> runs) {
  return connection_->remove(runs, removalsOfKeys(selectionOfKeys(sites)));
}

Status Pruner::removePolicies(std::span<const std::int64_t> numbers) {
  connection_->sqlite.beginCall("remove policies from");
  sqlite::Statement removal = connection_->sqlite.prepare("DELETE FROM policies WHERE number = ?1");
  while (!numbers.empty()) {
    const auto some = numbers.first(std::min<std::size_t>(numbers.size(), kRowsAtOnce));
    const Status step = connection_->change("remove policies from", [&] {
      for (const std::int64_t number : some) {
        if (Status removed = removal.run(number); !removed.isOk()) return removed;
      }
      return Status::ok();
    });
    if (!step.isOk()) return step;
    numbers = numbers.subspan(some.size());
  }
  return Status::ok();
}

Status Pruner::thin() {
  const std::string next_keys = fmt::format(
      "SELECT max(number) FROM (SELECT number FROM keys WHERE number > ?1 ORDER BY number LIMIT {}) "
      "HAVING count(*) > 0",
      kKeysAtOnce);
  connection_->sqlite.beginCall("thin the history in");
  History history(connection_->sqlite);
  std::int64_t last = 0;  // keys count from 1
  while (true) {
    const auto end = connection_->numbers(next_keys, last);
    if (!end.isOk() || end.value().empty()) return end.status();
    const auto crowded = connection_->numbers(selectionOfCrowdedKeys(), last, end.value().front());
    if (!crowded.isOk()) return crowded.status();
    if (Status thinned = connection_->thin(history, crowded.value()); !thinned.isOk()) return thinned;
    last = end.value().front();
  }
}

Status Pruner::compact() {
  connection_->sqlite.beginCall("compact");
  return connection_->sqlite.vacuum();
}

}  // namespace starling
