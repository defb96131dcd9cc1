#include "report_comparison.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/printable.h"
#include "base/text_format.h"
#include "report_document.h"
#include "report_table.h"
#include "summary/run_summary.h"
#include "summary/summary_text.h"

namespace starling::cli {
namespace {

// A key of one of the runs.
struct Side {
  const RecordedKey* recorded = nullptr;  // nullptr: the run has no such key
  const KeySummary* summary = nullptr;

  std::optional<double> seconds() const { return recorded == nullptr ? std::nullopt : recorded->row.key.seconds; }
  std::optional<double> waiting() const { return summary == nullptr ? std::nullopt : summary->waiting; }
  std::optional<double> perCall() const {
    if (!seconds() || recorded->row.key.calls <= 0) return std::nullopt;
    return *seconds() / static_cast<double>(recorded->row.key.calls);
  }
  std::string algorithm() const { return recorded == nullptr ? "-" : recorded->row.key.choice; }
};

struct Pair {
  Side before;
  Side after;

  const RecordedKey& any() const { return before.recorded != nullptr ? *before.recorded : *after.recorded; }
};

// One run as it is compared.
struct Compared {
  const Recording& recording;
  RunSummary summary;

  const RunRow& run() const { return recording.runs().back(); }
  std::string name() const { return fmt::format("Run {}", run().number); }
};

// What two runs have in common of a key, and a number that tells apart those that are alike in one run.
using Identity =
    std::tuple<std::string, std::int32_t, std::int32_t, std::string, std::string, std::int32_t, std::size_t>;

std::vector<std::pair<Identity, Side>> sidesOf(const Compared& run) {
  std::vector<std::pair<Identity, Side>> sides;
  std::map<Identity, std::size_t> seen;
  for (std::size_t i = 0; i < run.recording.keys().size(); ++i) {
    const RecordedKey& recorded = run.recording.keys()[i];
    const KeyId& id = recorded.row.key.id;
    Identity identity{id.site, recorded.row.communicator.size, id.size_class, id.type, id.operation, id.part, 0};
    std::get<std::size_t>(identity) = seen[identity]++;
    sides.emplace_back(identity, Side{&recorded, &run.summary.keys[i]});
  }
  return sides;
}

// Returns the keys of the second run in its order, then those that only the first one has.
std::vector<Pair> pairsOf(const Compared& before, const Compared& after) {
  const auto sides = sidesOf(before);
  std::map<Identity, Side> of_before(sides.begin(), sides.end());
  std::vector<Pair> pairs;
  for (const auto& [identity, side] : sidesOf(after)) {
    const auto found = of_before.find(identity);
    pairs.push_back({found == of_before.end() ? Side() : found->second, side});
    if (found != of_before.end()) of_before.erase(found);
  }
  for (const auto& [identity, side] : sides) {
    if (of_before.contains(identity)) pairs.push_back({side, Side()});
  }
  return pairs;
}

std::optional<double> ratioOf(const std::optional<double>& before, const std::optional<double>& after) {
  return before && after && *after > 0.0 ? std::optional(*before / *after) : std::nullopt;
}

Json pairListTable(const std::vector<Pair>& pairs, const std::string& before, const std::string& after) {
  ReportTable table("Sites before and after: time in allreduce, mean over the ranks of their communicator",
                    {{"Site", Align::kRight},
                     {"Where"},
                     {"Size", Align::kRight},
                     {"Type/op"},
                     {"Ranks", Align::kRight},
                     {"Time, " + before, Align::kRight},
                     {"Time, " + after, Align::kRight},
                     {"Waiting, " + before, Align::kRight},
                     {"Waiting, " + after, Align::kRight},
                     {"Per call, " + before, Align::kRight},
                     {"Per call, " + after, Align::kRight},
                     {"As fast", Align::kRight},
                     {"Algorithm, " + before},
                     {"Algorithm, " + after}});
  for (const auto& pair : pairs) {
    const RecordedKey& any = pair.any();
    const KeyRecord& key = any.row.key;
    table.addRow({countCell(any.siteNumber()), textCell(any.where()),
                  figureCell(formatBytes(Bytes{key.bytes}), key.bytes), textCell(key.id.type + "/" + key.id.operation),
                  countCell(any.row.communicator.size), durationCell(pair.before.seconds()),
                  durationCell(pair.after.seconds()), durationCell(pair.before.waiting()),
                  durationCell(pair.after.waiting()), durationCell(pair.before.perCall()),
                  durationCell(pair.after.perCall()), ratioCell(ratioOf(pair.before.perCall(), pair.after.perCall())),
                  textCell(pair.before.algorithm()), textCell(pair.after.algorithm())});
  }
  return table.json();
}

// Returns a line for each site that both runs have timed: what a call took before and after.
Json callsPlot(const std::vector<Pair>& pairs) {
  Json lines = Json::array();
  for (const Pair& pair : pairs) {
    if (!pair.before.perCall() || !pair.after.perCall()) continue;
    const RecordedKey& key = pair.any();
    lines.push_back({{"name", printable(fmt::format("{}: {}, {}", key.siteNumber(), key.where(),
                                                    formatBytes(Bytes{key.row.key.bytes})))},
                     {"before", *pair.before.perCall()},
                     {"after", *pair.after.perCall()}});
  }
  return lines;
}

Json bothFiguresTable(const Compared& before, const Compared& after) {
  ReportTable table("What the runs came to, mean over the ranks of MPI_COMM_WORLD",
                    {{"What"}, {before.name(), Align::kRight}, {after.name(), Align::kRight}});
  const auto add = [&table](const char* name, const std::optional<double>& a, const std::optional<double>& b) {
    table.addRow({textCell(name), durationCell(a), durationCell(b)});
  };
  const RunSummary& a = before.summary;
  const RunSummary& b = after.summary;
  add("Run", a.run.run.seconds, b.run.run.seconds);
  add("In allreduce", a.seconds, b.seconds);
  add("Waiting", a.waiting, b.waiting);
  add("Saved by tuning, beside native", a.saved, b.saved);
  add("Trials, beyond native", a.exploring, b.exploring);
  return table.json();
}

Json bothEnvironmentsTable(const Compared& before, const Compared& after) {
  ReportTable table("Environment", {{"What"}, {before.name()}, {after.name()}});
  const auto a = environmentRows(before.run());
  const auto b = environmentRows(after.run());
  for (std::size_t i = 0; i < a.size(); ++i) {
    table.addRow({textCell(a[i].first), textCell(a[i].second), textCell(b[i].second)});
  }
  return table.json();
}

std::string changeSentence(const Compared& before, const Compared& after) {
  const std::optional<double>& a = before.summary.seconds;
  const std::optional<double>& b = after.summary.seconds;
  if (!a || !b) return "Of one of the runs it is not known how long it was in allreduce.";
  return fmt::format("Run {} was {} in allreduce, {} {} than run {} ({}).", after.run().number, formatDuration(b),
                     formatDuration(Seconds{std::abs(*b - *a)}), *b <= *a ? "less" : "more", before.run().number,
                     formatDuration(a));
}

Json warningsOf(const Compared& before, const Compared& after, const std::vector<Pair>& pairs) {
  Json warnings = Json::array();
  const Run& a = before.run().run;
  const Run& b = after.run().run;
  if (a.program != b.program) warnings.push_back("These are runs of two programs.");
  if (a.environment != b.environment) {
    warnings.push_back("The runs differ in where they ran, as the environment below tells: times may differ by that.");
  }
  for (const Compared* run : {&before, &after}) {
    if (!run->run().finished) {
      warnings.push_back(run->name() + " had not ended, or ended without MPI_Finalize: its last calls may be missing.");
    }
  }
  std::int64_t alone = 0;
  for (const Pair& pair : pairs) alone += pair.before.recorded == nullptr || pair.after.recorded == nullptr ? 1 : 0;
  if (alone > 0) {
    warnings.push_back(fmt::format("{} (call site, size of vectors, communicator) in one of the runs alone.",
                                   formatCount(alone, "key")));
  }
  return warnings;
}

}  // namespace

Result<Json> comparisonReport(const Recording& first, const Recording& second, const std::string& database) {
  Result<RunSummary> summary_before = summarizeRun(first.reader(), first.runs().back());
  if (!summary_before.isOk()) return summary_before.status();
  Result<RunSummary> summary_after = summarizeRun(second.reader(), second.runs().back());
  if (!summary_after.isOk()) return summary_after.status();
  const Compared before{first, std::move(summary_before).value()};
  const Compared after{second, std::move(summary_after).value()};
  const std::vector<Pair> pairs = pairsOf(before, after);
  const std::string& old_program = before.run().run.program;
  const std::string& new_program = after.run().run.program;
  const std::string programs = old_program == new_program ? new_program : old_program + " and " + new_program;
  Json json =
      reportHead("comparison", fmt::format("{}, runs {} and {}", programs, before.run().number, after.run().number));
  json["verdict"] = {printable(changeSentence(before, after))};
  for (const Compared* run : {&before, &after}) {
    for (const std::string& line : summaryLines(run->summary, false)) json["verdict"].push_back(printable(line));
  }
  json["further"] = printable(furtherLine(after.summary, database));
  json["warnings"] = warningsOf(before, after, pairs);
  json["figures_table"] = bothFiguresTable(before, after);
  json["environment"] = bothEnvironmentsTable(before, after);
  json["sites_table"] = pairListTable(pairs, before.name(), after.name());
  json["calls_plot"] = callsPlot(pairs);
  json["names"] = {before.name(), after.name()};
  return json;
}

}  // namespace starling::cli
