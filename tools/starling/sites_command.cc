#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>

#include "base/text_format.h"
#include "command_options.h"
#include "commands.h"
#include "comparison.h"
#include "key_json.h"
#include "recording.h"
#include "table.h"
#include "terminal.h"

namespace starling::cli {
namespace {

struct SitesArguments {
  std::string run = "latest";
  bool json = false;
  bool csv = false;
};

Table sitesTable(const Recording& recording) {
  const bool many_runs = recording.runs().size() > 1;
  const bool many_communicators =
      std::ranges::any_of(recording.keys(), [](const RecordedKey& recorded) { return !recorded.communicator.empty(); });
  const bool have_cycles = std::ranges::any_of(
      recording.keys(), [](const RecordedKey& recorded) { return !recorded.row.key.cycle.empty(); });
  std::vector<Column> columns;
  if (many_runs) columns.push_back({"RUN", Align::kRight});
  for (const Column& column :
       {Column{"SITE", Align::kRight}, Column{"WHERE"}, Column{"RANKS", Align::kRight}, Column{"BYTES", Align::kRight},
        Column{"TYPE/OP"}, Column{"CALLS", Align::kRight}, Column{"TIME", Align::kRight},
        Column{"IMBALANCE", Align::kRight}, Column{"ALGORITHM"}, Column{"GAIN", Align::kRight}, Column{"STATE"}}) {
    columns.push_back(column);
  }
  if (have_cycles) columns.push_back({"OF ITS CALLS"});
  if (many_communicators) columns.push_back({"COMMUNICATOR"});
  Table table(std::move(columns));
  for (const RecordedKey& recorded : recording.keys()) {
    const KeyRecord& key = recorded.row.key;
    std::vector<std::string> cells;
    if (many_runs) cells.push_back(std::to_string(recorded.run.number));
    for (const std::string& cell :
         {std::to_string(recorded.siteNumber()), recorded.where(), std::to_string(recorded.row.communicator.size),
          formatBytes(Bytes{key.bytes}), key.id.type + "/" + key.id.operation, std::to_string(key.calls),
          formatDuration(key.seconds), formatDuration(key.imbalance), key.choice, formatRatio(key.gain), key.state}) {
      cells.push_back(cell);
    }
    if (have_cycles) cells.push_back(key.cycle.empty() ? "all" : key.cycle);
    if (many_communicators) cells.push_back(recorded.communicator);
    table.addRow(std::move(cells));
  }
  return table;
}

// Names the sites whose keys were compared by `compared_by` as a sentence begins: "Sites 1, 2: ".
std::string sitesComparedBy(const std::vector<RecordedKey>& keys, const ComparedBy& compared_by) {
  std::set<std::int64_t> sites;
  for (const RecordedKey& key : keys) {
    const bool has_figures = key.row.key.seconds.has_value() || key.row.key.gain.has_value();
    if (has_figures && key.row.communicator.compared_by == compared_by) sites.insert(key.siteNumber());
  }
  if (sites.empty()) return "";
  return fmt::format("Site{} {}: ", sites.size() == 1 ? "" : "s", fmt::join(sites, ", "));
}

void printNotes(const std::vector<RecordedKey>& keys) {
  for (const ComparedBy& compared_by : {ComparedBy(kByElapsed), ComparedBy()}) {
    const std::string sites = sitesComparedBy(keys, compared_by);
    if (!sites.empty()) fmt::print("{}\n", comparisonNote(compared_by, sites));
  }
  if (std::ranges::any_of(keys, &RecordedKey::isCountedLate)) {
    fmt::print("CALLS of communicators other than MPI_COMM_WORLD may count only from when these were prepared.\n");
  }
}

Outcome listSites(const SitesArguments& arguments, const std::string& database) {
  const Result<Recording> recording = Recording::open(database, arguments.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  if (recording.value().keys().empty()) {
    show(stderr,
         "starling: {} recorded no allreduce; `starling sites --run all` shows every run. Of communicators that are "
         "used for a few calls nothing is recorded: set STARLING_PREPARE=always for the program if it should be\n",
         recording.value().describeRuns());
  }
  if (arguments.json || arguments.csv) {
    Json rows = Json::array();
    for (const RecordedKey& key : recording.value().keys()) rows.push_back(keyJson(key));
    fmt::print("{}", arguments.json ? formatJson(rows) : formatCsv(rows));
    return Outcome::ok();
  }
  if (!recording.value().keys().empty()) fmt::print("{}", sitesTable(recording.value()).text());
  printNotes(recording.value().keys());
  return Outcome::ok();
}

}  // namespace

Action setUpSites(CLI::App& command, const Globals& globals) {
  const auto arguments = std::make_shared<SitesArguments>();
  addRunOption(command, arguments->run);
  CLI::Option* json = command.add_flag("--json", arguments->json, "Print JSON, durations in seconds");
  command.add_flag("--csv", arguments->csv, "Print comma-separated values, durations in seconds")->excludes(json);
  command.footer(
      "TIME is the time in allreduce, mean over ranks. IMBALANCE is the mean lateness of the latest rank. GAIN is the\n"
      "post-arrival time of the MPI library's own allreduce divided by that of the algorithm in force; where the "
      "ranks'\n"
      "clocks cannot be compared it is the ratio of mean elapsed times. What is not known is -.");
  return [arguments, &globals] { return listSites(*arguments, globals.databaseInForce()); };
}

}  // namespace starling::cli
