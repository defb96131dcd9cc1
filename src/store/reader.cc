#include "store/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "store/lateness_classes.h"
#include "store/migration.h"
#include "store/policy_check.h"
#include "store/record_sql.h"
#include "store/rows.h"
#include "store/sqlite.h"

namespace starling {
namespace {

// Files of one step hold 0 where a time is not known.
constexpr std::size_t kFirstStepWithNull = 2;

// Files of earlier steps hold the arrivals of every rank in every epoch.
constexpr std::size_t kFirstStepWithHistory = 4;

// No communicator has more ranks; what is told of each of them takes memory and time.
constexpr std::int32_t kMostRanks = 1 << 24;

// Counts what a file of an earlier step would hold after its migration. REQUIRES: all are of one key, by epoch.
std::vector<HistogramRecord> histogramsOf(const std::vector<ArrivalRecord>& arrivals) {
  std::vector<HistogramRecord> histograms;
  for (const ArrivalRecord& arrival : arrivals) {
    if (histograms.empty() || histograms.back().epoch != arrival.epoch) {
      histograms.push_back({arrival.key, arrival.epoch, 0, std::vector<std::int64_t>(kLatenessClasses), 1});
    }
    HistogramRecord& histogram = histograms.back();
    if (std::isnan(arrival.mean)) continue;
    histogram.samples = std::max(histogram.samples, arrival.samples);
    ++histogram.counts[latenessClass(Seconds{arrival.mean})];
  }
  return histograms;
}

void forgetZeros(KeyRecord& key) {
  if (key.imbalance == 0.0) key.imbalance.reset();
  if (key.seconds == 0.0) key.seconds.reset();
}

void forgetZeros(ObservationRecord& observation) {
  if (observation.samples > 0) return;
  observation.elapsed_mean.reset();
  observation.post_arrival_mean.reset();
  observation.post_arrival_minimum.reset();
  observation.post_arrival_deviation.reset();
}

// While it lives, all that is read is of one moment, under one lock: key by key most of the time would go into locks.
class Snapshot {
 public:
  explicit Snapshot(const sqlite::Connection& connection)
      : connection_(connection), status_(connection.execute("BEGIN")) {}
  ~Snapshot() {
    if (status_.isOk()) static_cast<void>(connection_.execute("COMMIT"));  // nothing was changed
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  const Status& status() const { return status_; }
  // Lets others write now and then. Whoever waits for that has the file's pending lock, which keeps the next read back.
  void renewWhenOld() {
    constexpr std::chrono::milliseconds kOld{100};
    if (std::chrono::steady_clock::now() - start_ < kOld) return;
    if (status_ = connection_.execute("COMMIT; BEGIN"); status_.isOk()) start_ = std::chrono::steady_clock::now();
  }

 private:
  const sqlite::Connection& connection_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Status status_;
};

}  // namespace

struct Reader::Connection {
  sqlite::Connection sqlite;
  std::size_t steps;                                      // of the file's schema
  std::map<std::string, sqlite::Statement> statements{};  // by their SQL: the same is asked of thousands of keys

  bool zerosAreUnknown() const { return steps < kFirstStepWithNull; }
  bool nothingIsJoined() const { return steps < kFirstStepWithHistory; }

  // Reads every row of `sql` with `values` for ?1, ... by `read_row(statement)`, which returns Result<Row>.
  template <typename Row, typename ReadRow, typename... Values>
  Result<std::vector<Row>> select(const std::string& sql, ReadRow read_row, const Values&... values) {
    sqlite.beginCall("read");
    auto prepared = statements.find(sql);
    if (prepared == statements.end()) prepared = statements.emplace(sql, sqlite.prepare(sql)).first;
    sqlite::Statement& statement = prepared->second;
    std::vector<Row> rows;
    Status status = Status::ok();
    statement.start(values...);
    while (status.isOk() && statement.next()) {
      Result<Row> row = read_row(statement);
      status = row.status();
      if (status.isOk()) rows.push_back(std::move(row).value());
    }
    if (status.isOk()) status = statement.status();
    if (status.isOk()) return rows;
    statements.erase(prepared);  // a statement that has not come to its end would hold its lock
    return status;
  }

  template <typename... Values>
  Result<std::vector<RunRow>> selectRuns(const char* clause, const Values&... values) {
    return select<RunRow>(
        fmt::format("SELECT runs.number, finished, {}, {} FROM runs "
                    "JOIN environments ON environments.number = runs.environment {}",
                    selected<Run>("runs", steps), selected<Environment>("environments"), clause),
        [this](sqlite::Statement& statement) -> Result<RunRow> {
          RunRow row;
          const char* damaged = readRow(statement, row.number, row.finished, row.run, row.run.environment);
          if (damaged != nullptr) return damagedRow(sqlite, "environments", damaged, row.number);
          return row;
        },
        values...);
  }

  // What records that belong to a key are read with.
  struct Owner {
    KeyId id;
    std::int32_t ranks = 0;
  };
  // Returns it; its fields are empty when there is no such key.
  Result<Owner> ownerOf(std::int64_t key_number) {
    const auto owners = select<Owner>(
        fmt::format("SELECT communicators.id, sites.identity, communicators.size, {} FROM keys "
                    "JOIN communicators ON communicators.number = keys.communicator "
                    "JOIN sites ON sites.number = keys.site WHERE keys.number = ?1",
                    selected<KeyId>("keys", steps)),
        [&](sqlite::Statement& statement) -> Result<Owner> {
          Owner owner;
          const char* damaged = readRow(statement, owner.id.communicator, owner.id.site, owner.ranks, owner.id);
          if (damaged != nullptr) return damagedRow(sqlite, "keys", damaged, key_number);
          return owner;
        },
        key_number);
    if (!owners.isOk()) return owners.status();
    return owners.value().empty() ? Owner() : owners.value().front();
  }

  // Counts the keys of `selection`, of one run, and their records.
  Result<RunExtent> extent(std::int64_t run_number, const std::string& selection) {
    std::vector<const char*> tables = {"observations", "arrivals", "decisions"};
    if (!nothingIsJoined()) tables.push_back("arrival_histograms");
    std::string records;
    for (const char* table : tables) {
      records +=
          fmt::format("{}(SELECT count(*) FROM {} WHERE key IN ({}))", records.empty() ? "" : " + ", table, selection);
    }
    const auto extents = select<RunExtent>(
        fmt::format("SELECT (SELECT count(*) FROM ({})), {}", selection, records),
        [](sqlite::Statement& statement) -> Result<RunExtent> {
          RunExtent extent;
          statement.read(extent.keys, extent.records);
          return extent;
        },
        run_number);
    if (!extents.isOk()) return extents.status();
    return extents.value().front();
  }

  // Reads the records of one key in `table`.
  template <typename Record>
  Result<std::vector<Record>> owned(const char* table, const char* order, std::int64_t key_number) {
    const Result<Owner> owner = ownerOf(key_number);
    if (!owner.isOk()) return owner.status();
    return select<Record>(
        fmt::format("SELECT number, {} FROM {} WHERE key = ?1 ORDER BY {}", selected<Record>(table, steps), table,
                    order),
        [&](sqlite::Statement& statement) -> Result<Record> {
          Record record;
          record.key = owner.value().id;
          std::int64_t number = 0;
          const char* damaged = readRow(statement, number, record);
          if constexpr (std::same_as<Record, ArrivalRecord>) {
            if (record.rank < 0 || record.rank >= owner.value().ranks) damaged = "rank";
          }
          if (damaged != nullptr) return damagedRow(sqlite, table, damaged, number);
          return record;
        },
        key_number);
  }
};

Reader::Reader(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

Result<Reader> Reader::open(const std::string& path, Seconds patience) {
  std::error_code fault;
  if (!std::filesystem::exists(path, fault) && !fault) {
    return Status::error(fmt::format(
        "cannot open {}: there is no such file; run a program with Starling first, or set STARLING_DB to its database",
        path));
  }
  Result<sqlite::Connection> opened = sqlite::Connection::open(path, sqlite::Access::kReadOnly, patience);
  if (!opened.isOk()) return opened.status();
  const Result<std::size_t> steps = schemaSteps(opened.value());
  if (!steps.isOk()) return steps.status();
  return Reader(std::make_unique<Connection>(Connection{std::move(opened).value(), steps.value()}));
}

Result<std::vector<RunRow>> Reader::runs() const { return connection_->selectRuns("ORDER BY started, runs.number"); }

Result<std::optional<RunRow>> Reader::run(const std::string& id) const {
  auto found = connection_->selectRuns("WHERE runs.id = ?1", id);
  if (!found.isOk()) return found.status();
  return found.value().empty() ? std::nullopt : std::optional(std::move(found.value().front()));
}

Result<std::vector<SiteRow>> Reader::sites() const {
  return connection_->select<SiteRow>(
      fmt::format("SELECT number, EXISTS (SELECT 1 FROM keys WHERE keys.site = sites.number), {} FROM sites "
                  "ORDER BY number",
                  selected<SiteRecord>("sites", connection_->steps)),
      [this](sqlite::Statement& statement) -> Result<SiteRow> {
        SiteRow row;
        const char* damaged = readRow(statement, row.number, row.has_keys, row.site);
        if (damaged != nullptr) return damagedRow(connection_->sqlite, "sites", damaged, row.number);
        return row;
      });
}

Result<RunExtent> Reader::extent(std::int64_t run_number) const {
  return connection_->extent(run_number, selectionOfKeys());
}

Result<RunExtent> Reader::extent(std::int64_t run_number, std::span<const std::int64_t> sites) const {
  return connection_->extent(run_number, selectionOfKeys(sites));
}

Result<std::vector<KeyRow>> Reader::keys(std::int64_t run_number) const {
  const std::size_t steps = connection_->steps;
  return connection_->select<KeyRow>(
      fmt::format("SELECT keys.number, sites.number, communicators.number, {}, {}, {}, {} FROM keys "
                  "JOIN communicators ON communicators.number = keys.communicator "
                  "JOIN sites ON sites.number = keys.site "
                  "WHERE communicators.run = ?1 ORDER BY keys.seconds DESC, keys.number",
                  selected<SiteRecord>("sites", steps), selected<CommunicatorRecord>("communicators", steps),
                  selected<KeyId>("keys", steps), selected<KeyRecord>("keys", steps)),
      [this](sqlite::Statement& statement) -> Result<KeyRow> {
        KeyRow row;
        std::int64_t communicator = 0;
        const char* damaged = readRow(statement, row.number, row.site_number, communicator, row.site, row.communicator,
                                      row.key.id, row.key);
        if (damaged != nullptr) return damagedRow(connection_->sqlite, "keys", damaged, row.number);
        if (row.communicator.size < 1 || row.communicator.size > kMostRanks)
          return damagedRow(connection_->sqlite, "communicators", "size", communicator);
        row.key.id.communicator = row.communicator.id;
        row.key.id.site = row.site.identity;
        if (connection_->zerosAreUnknown()) forgetZeros(row.key);
        return row;
      },
      run_number);
}

Result<std::vector<ObservationRecord>> Reader::observations(std::int64_t key_number) const {
  auto observations = connection_->owned<ObservationRecord>("observations", "epoch, number", key_number);
  if (!observations.isOk()) return observations;
  for (ObservationRecord& observation : observations.value()) {
    if (connection_->zerosAreUnknown()) forgetZeros(observation);
    if (connection_->nothingIsJoined()) observation.epochs = 1;
  }
  return observations;
}

Result<std::vector<ArrivalRecord>> Reader::arrivals(std::int64_t key_number) const {
  auto arrivals = connection_->owned<ArrivalRecord>("arrivals", "epoch, rank", key_number);
  if (!arrivals.isOk() || !connection_->nothingIsJoined()) return arrivals;
  for (ArrivalRecord& arrival : arrivals.value()) arrival.epochs = 1;
  return arrivals;
}

Result<std::vector<HistogramRecord>> Reader::histograms(std::int64_t key_number) const {
  if (!connection_->nothingIsJoined()) {
    return connection_->owned<HistogramRecord>("arrival_histograms", "epoch", key_number);
  }
  const auto all = arrivals(key_number);
  if (!all.isOk()) return all.status();
  return histogramsOf(all.value());
}

Result<std::vector<DecisionRecord>> Reader::decisions(std::int64_t key_number) const {
  return connection_->owned<DecisionRecord>("decisions", "epoch, call, number", key_number);
}

Result<std::vector<PolicyRecord>> Reader::policies(std::int64_t run_number) const {
  connection_->sqlite.beginCall("read policies from");
  sqlite::Statement statement = connection_->sqlite.prepare("SELECT environment, program FROM runs WHERE number = ?1");
  std::int64_t environment = 0;  // no row has it
  std::string program;
  if (statement.start(run_number).next()) statement.read(environment, program);
  if (!statement.status().isOk()) return statement.status();
  return selectPolicies(connection_->sqlite, environment, program, PolicyOrder::kBySite, connection_->steps);
}

Result<std::vector<PolicyRecord>> Reader::policies(const Environment& environment, const std::string& program) const {
  connection_->sqlite.beginCall("read policies from");
  const Result<std::int64_t> number = environmentNumber(connection_->sqlite, environment);
  if (!number.isOk()) return number.status();
  return selectPolicies(connection_->sqlite, number.value(), program, PolicyOrder::kNewestFirst, connection_->steps);
}

Result<CallsOfKeys> Reader::calls(std::int64_t run_number) const {
  connection_->sqlite.beginCall("read");
  return selectCallsOfKeys(connection_->sqlite, run_number, connection_->steps);
}

Result<StoredRun> Reader::wholeRun(const RunRow& row) const {
  // A run that has finished changes only where it is pruned or merged, which changes its calls: writers need not wait
  // until all of it is read.
  if (row.finished) {
    const Result<CallsOfKeys> before = calls(row.number);
    if (!before.isOk()) return before.status();
    Result<StoredRun> whole = readRun(row, true);
    if (!whole.isOk()) return whole;
    const Result<CallsOfKeys> after = calls(row.number);
    if (!after.isOk()) return after.status();
    if (after.value() == before.value()) return whole;
  }
  return readRun(row, false);
}

Result<StoredRun> Reader::readRun(const RunRow& row, bool is_in_pieces) const {
  connection_->sqlite.beginCall("read");
  Snapshot snapshot(connection_->sqlite);
  if (!snapshot.status().isOk()) return snapshot.status();
  const Result<std::vector<KeyRow>> keys = this->keys(row.number);
  if (!keys.isOk()) return keys.status();
  StoredRun whole{row.run, row.finished, {}};
  Batch& records = whole.records;
  const auto append = [](auto& all, auto more) {
    if (more.isOk()) std::ranges::move(more.value(), std::back_inserter(all));
    return more.status();
  };
  for (const KeyRow& key : keys.value()) {
    if (is_in_pieces) snapshot.renewWhenOld();
    if (!snapshot.status().isOk()) return snapshot.status();
    records.communicators.push_back(key.communicator);
    records.sites.push_back(key.site);
    records.keys.push_back(key.key);
    for (const Status& read :
         {append(records.observations, observations(key.number)), append(records.arrivals, arrivals(key.number)),
          append(records.histograms, histograms(key.number)), append(records.decisions, decisions(key.number))}) {
      if (!read.isOk()) return read;
    }
  }
  return whole;
}

Result<std::vector<StoredPolicy>> Reader::allPolicies() const {
  return connection_->select<StoredPolicy>(
      fmt::format("SELECT policies.number, policies.program, runs.id, runs.started, {}, {}, {} FROM policies "
                  "JOIN environments ON environments.number = policies.environment "
                  "LEFT JOIN runs ON runs.number = policies.run ORDER BY policies.number",
                  selectionOfCallsForPolicy(), selected<Environment>("environments"),
                  selected<PolicyRecord>("policies", connection_->steps)),
      [this](sqlite::Statement& statement) -> Result<StoredPolicy> {
        StoredPolicy stored;
        const char* damaged = readRow(statement, stored.number, stored.program, stored.run_id, stored.started,
                                      stored.calls, stored.environment, stored.policy);
        if (damaged != nullptr) return damagedRow(connection_->sqlite, "policies", damaged, stored.number);
        const Status checked = checkPolicy(stored.policy, fmt::format("policies of number {}", stored.number));
        if (!checked.isOk()) return connection_->sqlite.fault(checked.message());
        return stored;
      });
}

}  // namespace starling
