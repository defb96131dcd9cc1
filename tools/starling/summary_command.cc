#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "command_options.h"
#include "commands.h"
#include "json_text.h"
#include "recording.h"
#include "summary/summary_text.h"
#include "summary_json.h"
#include "terminal.h"

namespace starling::cli {
namespace {

struct SummaryArguments {
  std::string run = "latest";
  bool is_full = false;
  bool json = false;
};

// Debug information, which the run itself does not read, knows function and line.
void nameSites(const Recording& recording, RunSummary& summary) {
  std::map<std::int64_t, std::string> names;
  for (const RecordedKey& key : recording.keys()) names.try_emplace(key.siteNumber(), key.where());
  for (KeySummary& key : summary.keys) key.site = names.at(key.row.site_number);
}

Outcome showSummary(const SummaryArguments& arguments, const std::string& database) {
  const Result<Recording> recording = Recording::open(database, arguments.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  Result<RunSummary> summary = summarizeRun(recording.value().reader(), recording.value().runs().back());
  if (!summary.isOk()) return Outcome::fault(summary.status());
  if (arguments.json) {
    fmt::print("{}", formatJson(summaryJson(summary.value())));
    return Outcome::ok();
  }
  nameSites(recording.value(), summary.value());
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
      "The same text as at the end of a run (STARLING_SUMMARY), but for call sites, which debug information may name\n"
      "better. Times are means over the ranks of MPI_COMM_WORLD, or,\n"
      "of a call site, over those of its communicator. What native would have taken is the gain times what the\n"
      "algorithm in force took; its error is the standard error of the gain. It cannot be told where native was\n"
      "called too seldom, or its calls differed too much from each other, or the gain may be half wrong.");
  return [arguments, &globals] { return showSummary(*arguments, globals.databaseInForce()); };
}

}  // namespace starling::cli
