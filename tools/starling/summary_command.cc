#include <fmt/format.h>

#include <memory>
#include <string>

#include "command_options.h"
#include "commands.h"
#include "json_text.h"
#include "key_json.h"
#include "recording.h"
#include "summary/run_summary.h"
#include "summary/summary_text.h"
#include "terminal.h"

namespace starling::cli {
namespace {

struct SummaryArguments {
  std::string run = "latest";
  bool is_full = false;
  bool json = false;
};

Json keySummaryJson(const KeySummary& summary) {
  Json json;
  json["site"] = summary.row.site_number;
  json["communicator"] = summary.row.communicator.id;
  json["communicator_size"] = summary.row.communicator.size;
  json["bytes"] = summary.row.key.bytes;
  json["type"] = summary.row.key.id.type;
  json["operation"] = summary.row.key.id.operation;
  json["cycle"] = summary.row.key.cycle;
  json["calls"] = summary.row.key.calls;
  json["seconds"] = optionalJson(summary.row.key.seconds);
  json["waiting"] = optionalJson(summary.waiting);
  json["algorithm"] = summary.row.key.choice;
  json["state"] = summary.row.key.state;
  json["gain"] = optionalJson(summary.row.key.gain);
  json["gain_error"] = optionalJson(summary.row.key.gain_error);
  json["saved"] = optionalJson(summary.saved);
  json["saved_error"] = optionalJson(summary.saved_error);
  json["exploring"] = optionalJson(summary.exploring);
  return json;
}

Json latestJson(const std::optional<LatestRank>& latest) {
  if (!latest) return nullptr;
  Json json;
  json["rank"] = latest->rank;
  json["host"] = latest->host.empty() ? Json(nullptr) : Json(latest->host);
  json["share_last"] = latest->share_last;
  return json;
}

Json summaryJson(const RunSummary& summary) {
  Json json;
  json["run"] = runJson(summary.run);
  json["seconds"] = optionalJson(summary.seconds);
  json["waiting"] = optionalJson(summary.waiting);
  json["waiting_is_partial"] = summary.is_waiting_partial;
  json["latest"] = latestJson(summary.latest);
  json["saved"] = optionalJson(summary.saved);
  json["saved_error"] = optionalJson(summary.saved_error);
  json["exploring"] = optionalJson(summary.exploring);
  json["keys"] = Json::array();
  for (const KeySummary& key : summary.keys) json["keys"].push_back(keySummaryJson(key));
  return json;
}

Outcome showSummary(const SummaryArguments& arguments, const std::string& database) {
  const Result<Recording> recording = Recording::open(database, arguments.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  const Result<RunSummary> summary = summarizeRun(recording.value().reader(), recording.value().runs().back());
  if (!summary.isOk()) return Outcome::fault(summary.status());
  if (arguments.json) {
    fmt::print("{}", formatJson(summaryJson(summary.value())));
    return Outcome::ok();
  }
  for (const std::string& line : summaryLines(summary.value(), arguments.is_full)) show("{}\n", line);
  show("{}\n", furtherLine(summary.value(), database));
  return Outcome::ok();
}

}  // namespace

Action setUpSummary(CLI::App& command, const Globals& globals) {
  const auto arguments = std::make_shared<SummaryArguments>();
  addSingleRunOption(command, arguments->run, "summed up");
  command.add_flag("--full", arguments->is_full, "A line for each call site and size of vectors, too");
  command.add_flag("--json", arguments->json, "Print JSON, durations in seconds");
  command.footer(
      "The same text as at the end of a run (STARLING_SUMMARY). Times are means over the ranks of MPI_COMM_WORLD, or,\n"
      "of a call site, over those of its communicator. What native would have taken is the gain times what the\n"
      "algorithm in force took; its error is the standard error of the gain.");
  return [arguments, &globals] { return showSummary(*arguments, globals.databaseInForce()); };
}

}  // namespace starling::cli
