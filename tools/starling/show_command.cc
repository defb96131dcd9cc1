#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text_format.h"
#include "command_options.h"
#include "commands.h"
#include "comparison.h"
#include "key_json.h"
#include "listing.h"
#include "recording.h"
#include "summary/candidate_summary.h"
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
  const KeyRecord& key = recorded.row.key;
  const ComparedBy& compared_by = recorded.row.communicator.compared_by;
  const std::string gain = gainOf(key);
  return key.gain && compared_by ? fmt::format("{} (by {})", gain, comparedTime(compared_by)) : gain;
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

const ListShape<CandidateSummary>& candidatesShape() {
  const auto duration = [](auto member) {
    return [member](const CandidateSummary& candidate) { return formatDuration(member(candidate)); };
  };
  static const ListShape<CandidateSummary> kShape = {
      {{"CANDIDATE", ColumnKind::kText, "algorithm",
        [](const CandidateSummary& candidate) { return candidate.choice; }},
       {"CALLS", ColumnKind::kFigure, "calls",
        [](const CandidateSummary& candidate) { return std::to_string(candidate.calls); }},
       {"EXPLORATION", ColumnKind::kFigure, "exploration_calls",
        [](const CandidateSummary& candidate) { return std::to_string(candidate.exploration_calls); }},
       {"SAMPLES", ColumnKind::kFigure, "samples",
        [](const CandidateSummary& candidate) { return std::to_string(candidate.samples); }},
       {"ELAPSED", ColumnKind::kFigure, "elapsed", duration([](const auto& one) { return one.elapsed.mean; })},
       {"POST-ARRIVAL", ColumnKind::kFigure, "post_arrival",
        duration([](const auto& one) { return one.post_arrival.mean; })},
       {"MINIMUM",
        ColumnKind::kFigure,
        "post_arrival_minimum",
        duration([](const auto& one) { return one.compared().minimum; }),
        {},
        [](const CandidateSummary& candidate) { return optionalJson(candidate.compared().minimum); }},
       {"DEVIATION",
        ColumnKind::kFigure,
        "post_arrival_deviation",
        duration([](const auto& one) { return one.compared().deviation; }),
        {},
        [](const CandidateSummary& candidate) { return optionalJson(candidate.compared().deviation); }}},
      candidateJson};
  return kShape;
}

void printCandidates(const ComparedBy& compared_by, const std::vector<CandidateSummary>& candidates,
                     const ListOptions& options, const Look& look) {
  if (candidates.empty()) {
    fmt::print("  No candidate was measured.\n");
    return;
  }
  fmt::print("{}", formatList(candidatesShape(), arranged(candidatesShape(), candidates, options), options, look));
  const bool is_joined = std::any_of(candidates.begin(), candidates.end(), [](const CandidateSummary& candidate) {
    return candidate.records < candidate.epochs;
  });
  if (is_joined) fmt::print("Old epochs were joined, which leaves these figures as they were.\n");
  const std::string note = comparisonNote(compared_by);
  if (!note.empty()) fmt::print("{}\n", note);
}

void printSite(const RecordedKey& key, const std::vector<CandidateSummary>& candidates, const ListOptions& options,
               const Look& look) {
  show("Site {}: {}, {} {}/{}, run {} of {}\n", key.siteNumber(), key.where(), formatBytes(Bytes{key.row.key.bytes}),
       key.row.key.id.type, key.row.key.id.operation, key.run.number, key.run.run.program);
  show("  {:<19} {}\n", "environment", describeEnvironment(key.run.run.environment));
  printFields(key);
  printCandidates(key.row.communicator.compared_by, candidates, options, look);
  fmt::print("\n");
}

Json siteJson(const RecordedKey& key, const std::vector<CandidateSummary>& candidates, const ListOptions& options) {
  Json row = keyJson(key);
  row["run_details"] = runJson(key.run);
  row["candidates"] = recordsOf(candidatesShape(), arranged(candidatesShape(), candidates, options));
  return row;
}

Outcome showSite(const ListQuery& query, const std::string& database, const Look& look) {
  const Result<Recording> recording = Recording::open(database, query.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  const auto keys = recording.value().keysOfSite(query.site);
  if (!keys.isOk()) return Outcome::fault(keys.status());
  Json rows = Json::array();
  for (const RecordedKey& key : keys.value()) {
    const Result<Evidence> evidence = recording.value().evidence(key);
    if (!evidence.isOk()) return Outcome::fault(evidence.status());
    const std::vector<CandidateSummary> candidates = summarizeCandidates(evidence.value().observations);
    if (query.list.json) {
      rows.push_back(siteJson(key, candidates, query.list));
    } else if (query.list.csv) {
      for (const CandidateSummary& candidate : arranged(candidatesShape(), candidates, query.list)) {
        rows.push_back(namedRecord(key, candidateJson(candidate)));
      }
    } else {
      printSite(key, candidates, query.list, look);
    }
  }
  if (query.list.isForPrograms()) fmt::print("{}", query.list.json ? formatJson(rows) : formatCsv(rows));
  return Outcome::ok();
}

}  // namespace

Action setUpShow(CLI::App& command, const Globals& globals) {
  const auto query = std::make_shared<ListQuery>();
  addSiteListQuery(command, *query, candidatesShape().names());
  command.footer(
      "MINIMUM and DEVIATION are those of the post-arrival time; of the elapsed time where the ranks' clocks cannot "
      "be\n"
      "compared, so that post-arrival times are not known. What is not known is -.");
  return [query, &globals] { return showSite(*query, globals.databaseInForce(), globals.look()); };
}

}  // namespace starling::cli
