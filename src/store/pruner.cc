#include "store/pruner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
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

using Clock = std::chrono::steady_clock;

constexpr Seconds kPrunePatience{5.0};
// So many records of a key, and so many policies, are removed before the time is looked at.
constexpr std::int64_t kRowsAtOnce = 2048;
constexpr std::size_t kPoliciesAtOnce = 64;
// So many keys are looked through under one lock.
constexpr std::int64_t kKeysAtOnce = 256;
// So many records of joined epochs are made of a key at most before the time is looked at.
constexpr std::int64_t kMostJoinsAtOnce = 4096;

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

// Removes keys of runs in small steps, one key with its records after the other, and then the runs.
// REQUIRES: a transaction is open.
class Pruner::Removal {
 public:
  // `selection` is of the keys of run ?1 that are to go. `has_runs`: the run goes, too.
  Removal(const sqlite::Connection& connection, const std::string& selection, bool has_runs)
      : connection_(connection),
        select_(connection.prepare(fmt::format("{} LIMIT {}", selection, kKeysAtOnce))),
        forget_calls_(connection.prepare("UPDATE keys SET calls = 0 WHERE number = ?1")),
        remove_key_(connection.prepare("DELETE FROM keys WHERE number = ?1")) {
    for (const char* table : {"observations", "arrivals", "arrival_histograms", "decisions"}) {
      remove_records_.push_back(connection.prepare(fmt::format(
          "DELETE FROM {0} WHERE number IN (SELECT number FROM {0} WHERE key = ?1 LIMIT {1})", table, kRowsAtOnce)));
    }
    if (has_runs) remove_run_.emplace(connection.prepare("DELETE FROM runs WHERE number = ?1"));
  }

  // Forgets which keys there were: in a new transaction they may be others.
  void beginTransaction() { keys_.clear(); }

  // Removes a little of the run; returns whether nothing is left that is to go.
  Result<bool> removeSome(std::int64_t run) {
    if (keys_.empty()) {
      if (Status read = readKeys(run); !read.isOk()) return read;
    }
    if (keys_.empty()) {
      if (Status removed = remove_run_ ? remove_run_->run(run) : Status::ok(); !removed.isOk()) return removed;
      return true;
    }
    const std::int64_t key = keys_.back();
    for (sqlite::Statement& records : remove_records_) {
      if (Status removed = records.run(key); !removed.isOk()) return removed;
      if (connection_.changes() < kRowsAtOnce) continue;
      // A key that stays for another transaction claims no calls whose records are gone: merging compares them.
      if (Status forgotten = forget_calls_.run(key); !forgotten.isOk()) return forgotten;
      return false;
    }
    if (Status removed = remove_key_.run(key); !removed.isOk()) return removed;
    keys_.pop_back();
    return false;
  }

 private:
  Status readKeys(std::int64_t run) {
    select_.start(run);
    while (select_.next()) select_.read(keys_.emplace_back());
    return select_.status();
  }

  const sqlite::Connection& connection_;
  sqlite::Statement select_;
  sqlite::Statement forget_calls_;
  sqlite::Statement remove_key_;
  std::vector<sqlite::Statement> remove_records_;
  std::optional<sqlite::Statement> remove_run_;
  std::vector<std::int64_t> keys_;
};

struct Pruner::Connection {
  sqlite::Connection sqlite;
  PrunePace pace;
  bool has_changed = false;

  // Does `step(is_first)` until it returns true, a Result<bool>, in as many transactions as it takes, between which
  // others have their turn. `is_first`: it is the first of its transaction.
  template <typename Step>
  Status change(const char* action, Step step) {
    bool is_done = false;
    while (!is_done) {
      if (std::exchange(has_changed, true)) std::this_thread::sleep_for(pace.pause);
      sqlite.beginCall(action);
      sqlite::Transaction transaction(sqlite);
      if (!transaction.status().isOk()) return transaction.status();
      const Clock::time_point end = Clock::now() + pace.step;
      bool is_first = true;
      do {
        const Result<bool> done = step(std::exchange(is_first, false));
        if (!done.isOk()) return done.status();
        is_done = done.value();
      } while (!is_done && Clock::now() < end);
      if (Status committed = transaction.commit(); !committed.isOk()) return committed;
    }
    return Status::ok();
  }

  // Removes the selected keys of each run, and the runs themselves where `has_runs`.
  Status remove(std::span<const std::int64_t> runs, const std::string& selection, bool has_runs) {
    if (runs.empty()) return Status::ok();
    sqlite.beginCall("remove records from");
    Removal removal(sqlite, selection, has_runs);
    return change("remove records from", [&](bool is_first) -> Result<bool> {
      if (is_first) removal.beginTransaction();
      const Result<bool> is_removed = removal.removeSome(runs.front());
      if (!is_removed.isOk()) return is_removed;
      if (is_removed.value()) runs = runs.subspan(1);
      return runs.empty();
    });
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

  // Thins the history of each of the keys. A joined record takes as many times longer as the key has ranks: so first
  // one is made at once, and then twice as many each time that this is quick. But finding what is due takes as long as
  // the history is, however few are made: where that is long, as much time goes into making them.
  Status thin(History& history, std::span<const std::int64_t> keys) {
    if (keys.empty()) return Status::ok();
    constexpr Clock::duration kNever = std::chrono::hours(1);
    std::int64_t joins = 1;
    Clock::duration least = kNever;
    return change("thin the history in", [&](bool) -> Result<bool> {
      const Clock::time_point start = Clock::now();
      const Result<std::int64_t> made = history.thin(keys.front(), joins);
      if (!made.isOk()) return made.status();
      const Clock::duration took = Clock::now() - start;
      least = std::min(least, took);
      const bool is_quick = took < std::max<Clock::duration>(pace.step / 8, 2 * least);
      joins = is_quick ? std::min(2 * joins, kMostJoinsAtOnce) : std::max<std::int64_t>(joins / 2, 1);
      if (made.value() > 0) return false;
      if (Status thinned = history.thinDecisions(keys.front()); !thinned.isOk()) return thinned;
      keys = keys.subspan(1);
      joins = 1;
      least = kNever;
      return keys.empty();
    });
  }
};

Pruner::Pruner(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Pruner::~Pruner() = default;
Pruner::Pruner(Pruner&&) noexcept = default;
Pruner& Pruner::operator=(Pruner&&) noexcept = default;

Result<Pruner> Pruner::open(const std::string& path, const PrunePace& pace) {
  Result<sqlite::Connection> opened = openForward(path, kPrunePatience);
  if (!opened.isOk()) return opened.status();
  return Pruner(std::make_unique<Connection>(Connection{std::move(opened).value(), pace}));
}

Status Pruner::removeRuns(std::span<const std::int64_t> runs) {
  return connection_->remove(runs, selectionOfKeys(), true);
}

Status Pruner::removeSites(std::span<const std::int64_t> sites, std::span<const std::int64_t> runs) {
  return connection_->remove(runs, selectionOfKeys(sites), false);
}

Status Pruner::removePolicies(std::span<const StoredPolicy> policies) {
  if (policies.empty()) return Status::ok();
  connection_->sqlite.beginCall("remove policies from");
  sqlite::Statement removal = connection_->sqlite.prepare(
      "DELETE FROM policies WHERE number = ?1 AND run IS (SELECT number FROM runs WHERE id = ?2)");
  return connection_->change("remove policies from", [&](bool) -> Result<bool> {
    const auto some = policies.first(std::min(policies.size(), kPoliciesAtOnce));
    for (const StoredPolicy& policy : some) {
      if (Status removed = removal.run(policy.number, policy.run_id); !removed.isOk()) return removed;
    }
    policies = policies.subspan(some.size());
    return policies.empty();
  });
}

Status Pruner::thin() {
  const std::string next_keys =
      fmt::format("SELECT number FROM keys WHERE number > ?1 ORDER BY number LIMIT {}", kKeysAtOnce);
  connection_->sqlite.beginCall("thin the history in");
  History history(connection_->sqlite);
  std::int64_t last = 0;  // keys count from 1
  while (true) {
    const auto some = connection_->numbers(next_keys, last);
    if (!some.isOk() || some.value().empty()) return some.status();
    const auto crowded = connection_->numbers(selectionOfCrowdedKeys(), last, some.value().back());
    if (!crowded.isOk()) return crowded.status();
    if (Status thinned = connection_->thin(history, crowded.value()); !thinned.isOk()) return thinned;
    last = some.value().back();
  }
}

Status Pruner::compact() {
  connection_->sqlite.beginCall("compact");
  return connection_->sqlite.vacuum();
}

}  // namespace starling
