#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text_format.h"
#include "command_options.h"
#include "commands.h"
#include "key_json.h"
#include "listing.h"
#include "store/reader.h"
#include "summary/run_summary.h"
#include "terminal.h"
#include "utc_time.h"

namespace starling::cli {
namespace {

struct ListedRun {
  RunRow row;
  std::int64_t keys = 0;
  std::optional<double> in_allreduce{};  // seconds, a mean over the ranks; empty: no call was timed
};

Json runsJson(const ListedRun& one) {
  Json json = runJson(one.row);
  json["keys"] = one.keys;
  json["in_allreduce"] = optionalJson(one.in_allreduce);
  return json;
}

const ListShape<ListedRun>& runsShape() {
  using One = ListedRun;
  static const ListShape<One> kShape = {
      {{"RUN", ColumnKind::kNumber, "number", [](const One& one) { return std::to_string(one.row.number); }},
       {"BEGAN", ColumnKind::kNumber, "started", [](const One& one) { return formatUtc(one.row.run.started); }},
       {"PROGRAM", ColumnKind::kText, "program", [](const One& one) { return one.row.run.program; }},
       {"RANKS", ColumnKind::kFigure, "ranks",
        [](const One& one) { return std::to_string(one.row.run.environment.ranks); }},
       {"NODES", ColumnKind::kFigure, "nodes",
        [](const One& one) { return std::to_string(one.row.run.environment.nodes); }},
       {"TOOK", ColumnKind::kFigure, "seconds", [](const One& one) { return formatDuration(one.row.run.seconds); }},
       {"IN ALLREDUCE", ColumnKind::kFigure, "in_allreduce",
        [](const One& one) { return formatDuration(one.in_allreduce); }},
       {"KEYS", ColumnKind::kFigure, "keys", [](const One& one) { return std::to_string(one.keys); }},
       {"END",
        ColumnKind::kText,
        "finished",
        [](const One& one) { return std::string(one.row.finished ? "finished" : "open or killed"); },
        {},
        [](const One& one) { return Json(one.row.finished ? "finished" : "open or killed"); }}},
      runsJson};
  return kShape;
}

Result<std::vector<ListedRun>> runsOf(const Reader& reader) {
  const Result<std::vector<RunRow>> runs = reader.runs();
  if (!runs.isOk()) return runs.status();
  std::vector<ListedRun> listed;
  for (const RunRow& row : runs.value()) {
    const Result<std::vector<KeyRow>> keys = reader.keys(row.number);
    if (!keys.isOk()) return keys.status();
    listed.push_back({row, std::ssize(keys.value()), timeInAllreduce(row.run, keys.value())});
  }
  return listed;
}

Outcome listRuns(const ListOptions& options, const std::string& database, const Look& look) {
  const Result<Reader> reader = Reader::open(database);
  if (!reader.isOk()) return Outcome::fault(reader.status());
  Result<std::vector<ListedRun>> runs = runsOf(reader.value());
  if (!runs.isOk()) return Outcome::fault(runs.status());
  if (runs.value().empty() && !options.isForPrograms()) {
    show("{} has no run: none was recorded, or all were removed.\n", database);
    return Outcome::ok();
  }
  const auto rows = arranged(runsShape(), std::move(runs).value(), options);
  fmt::print("{}", formatList(runsShape(), rows, options, look));
  return Outcome::ok();
}

}  // namespace

Action setUpRuns(CLI::App& command, const Globals& globals) {
  const auto options = std::make_shared<ListOptions>();
  addListOptions(command, *options, runsShape().names());
  command.footer(
      "Also those in which nothing was tuned. BEGAN is in UTC. IN ALLREDUCE is a mean over the ranks, with the calls\n"
      "that came before a communicator was worth preparing. A KEY is a call site, a class of sizes, a type and an\n"
      "operation on one communicator, as `starling sites --run RUN` lists them. A run that is open goes on, or ended\n"
      "without MPI_Finalize.");
  return [options, &globals] { return listRuns(*options, globals.databaseInForce(), globals.look()); };
}

}  // namespace starling::cli
