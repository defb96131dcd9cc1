#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text_format.h"
#include "command_options.h"
#include "commands.h"
#include "comparison.h"
#include "key_json.h"
#include "recording.h"
#include "summary/candidate_summary.h"
#include "table.h"
#include "terminal.h"

namespace starling::cli {
namespace {

std::string describeEnvironment(const Environment& environment) {
  return fmt::format("{} on {} ({} per node), {}, {}, {}", formatCount(environment.ranks, "rank"),
                     formatCount(environment.nodes, "node"), environment.ranks_per_node, environment.processor,
                     environment.mpi_version, environment.transport);
}

std::string sourceOf(const RecordedKey& key) {
  return key.place.file.empty() ? "-" : fmt::format("{}:{}", key.place.file, key.place.line);
}

// Returns "1.20x +- 0.05 (by mean elapsed time)", or the figure alone where the time is not recorded.
std::string describeGain(const RecordedKey& recorded) {
  const std::optional<double>& gain = recorded.row.key.gain;
  const ComparedBy& compared_by = recorded.row.communicator.compared_by;
  if (!gain || !compared_by) return formatRatio(gain);
  const std::optional<double>& error = recorded.row.key.gain_error;
  return fmt::format("{}{} (by {})", formatRatio(gain), error ? fmt::format(" +- {:.2f}", *error) : "",
                     comparedTime(compared_by));
}

// Returns "7.50 s (mean over ranks)", or "-" when it is not known.
std::string describeTime(const std::optional<double>& seconds, const char* what) {
  return seconds ? fmt::format("{} ({})", formatDuration(seconds), what) : "-";
}

std::string orDash(const std::string& text) { return text.empty() ? "-" : text; }

void printFields(const RecordedKey& recorded) {
  const KeyRow& row = recorded.row;
  const KeyRecord& key = row.key;
  const std::string& symbol = recorded.place.symbol.empty() ? row.site.symbol : recorded.place.symbol;
  const std::pair<const char*, std::string> fields[] = {
      {"label", orDash(row.site.label)},
      {"symbol", orDash(symbol)},
      {"source", sourceOf(recorded)},
      {"module", orDash(row.site.module)},
      {"build id", orDash(row.site.build_id)},
      {"offset", fmt::format("{:#x}", row.site.offset)},
      {"identity", row.site.identity},
      {"communicator",
       fmt::format("{} ({}), {} ranks", row.communicator.id, orDash(row.communicator.name), row.communicator.size)},
      {"bytes", fmt::format("{} (class {})", key.bytes, key.id.size_class)},
      {"type, operation", key.id.type + ", " + key.id.operation},
      {"calls of the site", key.cycle.empty() ? "all" : key.cycle},
      {"calls", std::to_string(key.calls)},
      {"exploration calls", std::to_string(key.exploration_calls)},
      {"time in allreduce", describeTime(key.seconds, "mean over ranks")},
      {"imbalance", describeTime(key.imbalance, "mean lateness of the latest rank")},
      {"state", key.state},
      {"algorithm in force", key.choice},
      {"virtual-rank table", formatRankTable(key.table)},
      {"gain over native", describeGain(recorded)},
  };
  for (const auto& [name, value] : fields) show("  {:<19} {}\n", name, value);
}

void printCandidates(const ComparedBy& compared_by, const std::vector<CandidateSummary>& candidates) {
  if (candidates.empty()) {
    fmt::print("  No candidate was measured.\n");
    return;
  }
  Table table({{"CANDIDATE"},
               {"CALLS", Align::kRight},
               {"EXPLORATION", Align::kRight},
               {"SAMPLES", Align::kRight},
               {"ELAPSED", Align::kRight},
               {"POST-ARRIVAL", Align::kRight},
               {"MINIMUM", Align::kRight},
               {"DEVIATION", Align::kRight}});
  for (const CandidateSummary& candidate : candidates) {
    table.addRow({candidate.choice, std::to_string(candidate.calls), std::to_string(candidate.exploration_calls),
                  std::to_string(candidate.samples), formatDuration(candidate.elapsed.mean),
                  formatDuration(candidate.post_arrival.mean), formatDuration(candidate.compared().minimum),
                  formatDuration(candidate.compared().deviation)});
  }
  fmt::print("{}", table.text());
  const bool is_joined = std::any_of(candidates.begin(), candidates.end(), [](const CandidateSummary& candidate) {
    return candidate.records < candidate.epochs;
  });
  if (is_joined) fmt::print("Old epochs were joined, which leaves these figures as they were.\n");
  const std::string note = comparisonNote(compared_by);
  if (!note.empty()) fmt::print("{}\n", note);
}

Outcome showSite(const Query& query, const std::string& database) {
  const Result<Recording> recording = Recording::open(database, query.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  const auto keys = recording.value().keysOfSite(query.site);
  if (!keys.isOk()) return Outcome::fault(keys.status());
  Json rows = Json::array();
  for (const RecordedKey& key : keys.value()) {
    const Result<Evidence> evidence = recording.value().evidence(key);
    if (!evidence.isOk()) return Outcome::fault(evidence.status());
    const std::vector<CandidateSummary> candidates = summarizeCandidates(evidence.value().observations);
    if (query.json) {
      Json row = keyJson(key);
      row["run_details"] = runJson(key.run);
      row["candidates"] = Json::array();
      for (const CandidateSummary& candidate : candidates) row["candidates"].push_back(candidateJson(candidate));
      rows.push_back(std::move(row));
      continue;
    }
    show("Site {}: {}, {} {}/{}, run {} of {}\n", key.siteNumber(), key.where(), formatBytes(Bytes{key.row.key.bytes}),
         key.row.key.id.type, key.row.key.id.operation, key.run.number, key.run.run.program);
    show("  {:<19} {}\n", "environment", describeEnvironment(key.run.run.environment));
    printFields(key);
    printCandidates(key.row.communicator.compared_by, candidates);
    fmt::print("\n");
  }
  if (query.json) fmt::print("{}", formatJson(rows));
  return Outcome::ok();
}

}  // namespace

Action setUpShow(CLI::App& command, const Globals& globals) {
  const auto query = std::make_shared<Query>();
  addSiteQuery(command, *query);
  command.footer(
      "MINIMUM and DEVIATION are those of the post-arrival time; of the elapsed time where the ranks' clocks cannot "
      "be\n"
      "compared, so that post-arrival times are not known. What is not known is -.");
  return [query, &globals] { return showSite(*query, globals.databaseInForce()); };
}

}  // namespace starling::cli
