#include "store/reader.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "store/migration.h"
#include "store/rows.h"
#include "store/sqlite.h"

namespace starling {
namespace {

// For a writer's short transaction to pass.
constexpr Seconds kPatience{5.0};

Status unreadableList(const sqlite::Connection& connection, const char* table, std::int64_t number) {
  return connection.fault(fmt::format(
      "{}.virtual_ranks of number {} is no list of whole numbers; delete that row with sqlite3", table, number));
}

}  // namespace

struct Reader::Connection {
  sqlite::Connection sqlite;

  // Every row of `sql` with `values` for ?1, ..., by `read_row(statement)`, which returns Result<Row>.
  template <typename Row, typename ReadRow, typename... Values>
  Result<std::vector<Row>> select(const char* sql, ReadRow read_row, const Values&... values) {
    sqlite.beginCall("read");
    sqlite::Statement statement = sqlite.prepare(sql);
    statement.start(values...);
    std::vector<Row> rows;
    while (statement.next()) {
      Result<Row> row = read_row(statement);
      if (!row.isOk()) return row.status();
      rows.push_back(std::move(row).value());
    }
    if (!statement.status().isOk()) return statement.status();
    return rows;
  }

  // The id of a key, for the records that belong to it; empty fields when there is no such key.
  Result<KeyId> keyId(std::int64_t key_number) {
    sqlite.beginCall("read");
    sqlite::Statement statement = sqlite.prepare(
        "SELECT communicators.id, sites.identity, size_class, type, operation FROM keys "
        "JOIN communicators ON communicators.number = keys.communicator JOIN sites ON sites.number = keys.site "
        "WHERE keys.number = ?1");
    KeyId id;
    if (statement.start(key_number).next()) {
      statement.read(id.communicator, id.site, id.size_class, id.type, id.operation);
    }
    if (!statement.status().isOk()) return statement.status();
    return id;
  }
};

Reader::Reader(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

Result<Reader> Reader::open(const std::string& path) {
  std::error_code fault;
  if (!std::filesystem::exists(path, fault) && !fault) {
    return Status::error(fmt::format(
        "cannot open {}: there is no such file; run a program with Starling first, or set STARLING_DB to its database",
        path));
  }
  Result<sqlite::Connection> opened = sqlite::Connection::open(path, sqlite::Access::kReadOnly, kPatience);
  if (!opened.isOk()) return opened.status();
  if (Status known = requireSchema(opened.value()); !known.isOk()) return known;
  return Reader(std::make_unique<Connection>(Connection{std::move(opened).value()}));
}

Result<std::vector<RunRow>> Reader::runs() const {
  return connection_->select<RunRow>(
      "SELECT runs.number, runs.id, ranks, nodes, ranks_per_node, processor, mpi_version, transport, program, started, "
      "finished FROM runs JOIN environments ON environments.number = runs.environment "
      "ORDER BY started, runs.number",
      [](sqlite::Statement& statement) -> Result<RunRow> {
        RunRow row;
        Environment& environment = row.run.environment;
        statement.read(row.number, row.run.id, environment.ranks, environment.nodes, environment.ranks_per_node,
                       environment.processor, environment.mpi_version, environment.transport, row.run.program,
                       row.run.started, row.finished);
        return row;
      });
}

Result<std::vector<KeyRow>> Reader::keys(std::int64_t run_number) const {
  const sqlite::Connection& connection = connection_->sqlite;
  return connection_->select<KeyRow>(
      "SELECT keys.number, sites.number, sites.identity, sites.label, sites.module, sites.build_id, sites.offset, "
      "sites.symbol, communicators.id, communicators.name, communicators.size, keys.size_class, keys.type, "
      "keys.operation, keys.bytes, keys.calls, keys.exploration_calls, keys.seconds, keys.imbalance, keys.state, "
      "keys.choice, keys.virtual_ranks, keys.gain FROM keys "
      "JOIN communicators ON communicators.number = keys.communicator JOIN sites ON sites.number = keys.site "
      "WHERE communicators.run = ?1 ORDER BY keys.seconds DESC, keys.number",
      [&connection](sqlite::Statement& statement) -> Result<KeyRow> {
        KeyRow row;
        std::string table;
        statement.read(row.number, row.site_number, row.site.identity, row.site.label, row.site.module,
                       row.site.build_id, row.site.offset, row.site.symbol, row.communicator.id, row.communicator.name,
                       row.communicator.size, row.key.id.size_class, row.key.id.type, row.key.id.operation,
                       row.key.bytes, row.key.calls, row.key.exploration_calls, row.key.seconds, row.key.imbalance,
                       row.key.state, row.key.choice, table, row.key.gain);
        row.key.id.communicator = row.communicator.id;
        row.key.id.site = row.site.identity;
        if (!parseList(table, row.key.table)) return unreadableList(connection, "keys", row.number);
        return row;
      },
      run_number);
}

Result<std::vector<ObservationRecord>> Reader::observations(std::int64_t key_number) const {
  const Result<KeyId> id = connection_->keyId(key_number);
  if (!id.isOk()) return id.status();
  return connection_->select<ObservationRecord>(
      "SELECT epoch, choice, exploration, calls, samples, elapsed_mean, post_arrival_mean, post_arrival_minimum, "
      "post_arrival_deviation FROM observations WHERE key = ?1 ORDER BY epoch, number",
      [&id](sqlite::Statement& statement) -> Result<ObservationRecord> {
        ObservationRecord row;
        row.key = id.value();
        statement.read(row.epoch, row.choice, row.exploration, row.calls, row.samples, row.elapsed_mean,
                       row.post_arrival_mean, row.post_arrival_minimum, row.post_arrival_deviation);
        return row;
      },
      key_number);
}

Result<std::vector<ArrivalRecord>> Reader::arrivals(std::int64_t key_number) const {
  const Result<KeyId> id = connection_->keyId(key_number);
  if (!id.isOk()) return id.status();
  return connection_->select<ArrivalRecord>(
      "SELECT epoch, rank, samples, mean, deviation, predicted, method FROM arrivals WHERE key = ?1 "
      "ORDER BY epoch, rank",
      [&id](sqlite::Statement& statement) -> Result<ArrivalRecord> {
        ArrivalRecord row;
        row.key = id.value();
        statement.read(row.epoch, row.rank, row.samples, row.mean, row.deviation, row.predicted, row.method);
        return row;
      },
      key_number);
}

Result<std::vector<DecisionRecord>> Reader::decisions(std::int64_t key_number) const {
  const Result<KeyId> id = connection_->keyId(key_number);
  if (!id.isOk()) return id.status();
  const sqlite::Connection& connection = connection_->sqlite;
  return connection_->select<DecisionRecord>(
      "SELECT number, epoch, call, choice, virtual_ranks, reason, expected, measured, native FROM decisions "
      "WHERE key = ?1 ORDER BY epoch, call, number",
      [&id, &connection](sqlite::Statement& statement) -> Result<DecisionRecord> {
        DecisionRecord row;
        row.key = id.value();
        std::int64_t number = 0;
        std::string table;
        statement.read(number, row.epoch, row.call, row.choice, table, row.reason, row.expected, row.measured,
                       row.native);
        if (!parseList(table, row.table)) return unreadableList(connection, "decisions", number);
        return row;
      },
      key_number);
}

Result<std::vector<PolicyRecord>> Reader::policies(std::int64_t run_number) const {
  connection_->sqlite.beginCall("read policies from");
  sqlite::Statement statement = connection_->sqlite.prepare("SELECT environment, program FROM runs WHERE number = ?1");
  std::int64_t environment = 0;  // no row has it
  std::string program;
  if (statement.start(run_number).next()) statement.read(environment, program);
  if (!statement.status().isOk()) return statement.status();
  return selectPolicies(connection_->sqlite, environment, program);
}

}  // namespace starling
