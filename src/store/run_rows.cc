#include "store/run_rows.h"

#include <fmt/format.h>

#include <vector>

#include "store/record_sql.h"
#include "store/rows.h"

namespace starling {

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

}  // namespace starling
