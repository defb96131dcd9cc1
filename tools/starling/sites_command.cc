#include <fmt/format.h>

#include <memory>

#include "command_options.h"
#include "commands.h"
#include "key_json.h"
#include "recording.h"
#include "table.h"
#include "text_format.h"

namespace starling::cli {
namespace {

struct SitesArguments {
  std::string run = "latest";
  bool json = false;
  bool csv = false;
};

Table sitesTable(const Recording& recording) {
  const bool many_runs = recording.runs().size() > 1;
  std::vector<Column> columns;
  if (many_runs) columns.push_back({"RUN", Align::kRight});
  for (const Column& column :
       {Column{"SITE", Align::kRight}, Column{"WHERE"}, Column{"RANKS", Align::kRight}, Column{"BYTES", Align::kRight},
        Column{"TYPE/OP"}, Column{"CALLS", Align::kRight}, Column{"TIME", Align::kRight},
        Column{"IMBALANCE", Align::kRight}, Column{"ALGORITHM"}, Column{"GAIN", Align::kRight}, Column{"STATE"}}) {
    columns.push_back(column);
  }
  Table table(std::move(columns));
  for (const RecordedKey& recorded : recording.keys()) {
    const KeyRecord& key = recorded.row.key;
    std::vector<std::string> cells;
    if (many_runs) cells.push_back(std::to_string(recorded.run.number));
    for (const std::string& cell :
         {std::to_string(recorded.siteNumber()), recorded.where(), std::to_string(recorded.row.communicator.size),
          formatBytes(Bytes{key.bytes}), key.id.type + "/" + key.id.operation, std::to_string(key.calls),
          formatDuration(Seconds{key.seconds}), formatDuration(Seconds{key.imbalance}), key.choice,
          formatRatio(key.gain), key.state}) {
      cells.push_back(cell);
    }
    table.addRow(std::move(cells));
  }
  return table;
}

Outcome listSites(const SitesArguments& arguments, const std::string& database) {
  const Result<Recording> recording = Recording::open(database, arguments.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  if (recording.value().keys().empty()) {
    fmt::print(stderr, "starling: {} recorded no allreduce; `starling sites --run all` shows every run\n",
               recording.value().describeRuns());
  }
  if (arguments.json || arguments.csv) {
    Json rows = Json::array();
    for (const RecordedKey& key : recording.value().keys()) rows.push_back(keyJson(key));
    fmt::print("{}", arguments.json ? formatJson(rows) : formatCsv(rows));
    return Outcome::ok();
  }
  if (!recording.value().keys().empty()) fmt::print("{}", sitesTable(recording.value()).text());
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
      "post-arrival time of the MPI library's own allreduce divided by that of the algorithm in force.");
  return [arguments, &globals] { return listSites(*arguments, globals.databaseInForce()); };
}

}  // namespace starling::cli
