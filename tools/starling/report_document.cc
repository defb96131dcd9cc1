#include "report_document.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <utility>

#include "base/printable.h"
#include "base/text_format.h"
#include "report_call.h"
#include "report_site.h"
#include "report_table.h"
#include "report_warnings.h"
#include "summary/run_summary.h"
#include "summary/summary_text.h"
#include "utc_time.h"

namespace starling::cli {
namespace {

Json figure(const std::string& name, Json cell, const std::string& note) {
  return {{"name", name}, {"cell", std::move(cell)}, {"note", note}};
}

// A loss is shown as such, without its sign.
Json withoutSign(const std::optional<double>& seconds) {
  return figureCell(formatDuration(seconds ? std::optional(std::abs(*seconds)) : std::nullopt), optionalJson(seconds));
}

Json savedFigure(const RunSummary& summary) {
  const bool is_lost = summary.saved.value_or(0.0) < 0.0;
  const std::string note = summary.saved ? fmt::format("+- {}, beside native", formatDuration(summary.saved_error))
                                         : "what native would have taken is not known";
  return figure(is_lost ? "Lost by tuning" : "Saved by tuning", withoutSign(summary.saved), note);
}

Json exploringFigure(const RunSummary& summary) {
  const bool is_less = summary.exploring.value_or(0.0) < 0.0;
  return figure("Trials", withoutSign(summary.exploring),
                is_less ? "less than native would have taken" : "beyond what native would have taken");
}

Json figuresOf(const RunSummary& summary) {
  Json figures = Json::array();
  figures.push_back(figure("Run", durationCell(summary.run.run.seconds), "from MPI_Init to MPI_Finalize"));
  figures.push_back(figure("In allreduce", durationCell(summary.seconds), "mean over ranks"));
  std::string waiting = summary.is_waiting_partial ? "at least: of some sites it is not known" : "for late ranks";
  if (summary.latest) {
    waiting =
        fmt::format("{}, {} of it for rank {}", waiting, formatPercent(summary.latest->share), summary.latest->rank);
    if (!summary.latest->host.empty()) waiting += " on " + printable(summary.latest->host);
  }
  figures.push_back(figure("Waiting", durationCell(summary.waiting), waiting));
  figures.push_back(savedFigure(summary));
  figures.push_back(exploringFigure(summary));
  return figures;
}

Json siteListTable() {
  ReportTable table("Sites, most time in allreduce first", {{"Site", Align::kRight},
                                                            {"Where"},
                                                            {"Size", Align::kRight},
                                                            {"Type/op"},
                                                            {"Ranks", Align::kRight},
                                                            {"Calls", Align::kRight},
                                                            {"Time", Align::kRight},
                                                            {"Waiting", Align::kRight},
                                                            {"Time per call"},
                                                            {"Algorithm"},
                                                            {"Gain", Align::kRight},
                                                            {"State"}});
  return table.json();
}

Json siteCells(const RecordedKey& recorded, const KeySummary& summary) {
  const KeyRecord& key = recorded.row.key;
  return Json::array({countCell(recorded.siteNumber()), textCell(recorded.where()),
                      figureCell(formatBytes(Bytes{key.bytes}), key.bytes),
                      textCell(key.id.type + "/" + key.id.operation), countCell(recorded.row.communicator.size),
                      countCell(key.calls), durationCell(key.seconds), durationCell(summary.waiting), nullptr,
                      textCell(key.choice), ratioCell(key.gain), textCell(key.state)});
}

// Tells which calls of its site a key has, where it has not all.
std::string subtitleOf(const RecordedKey& recorded) {
  const KeyRecord& key = recorded.row.key;
  std::string text = fmt::format("{} {}/{} on {}", formatBytes(Bytes{key.bytes}), key.id.type, key.id.operation,
                                 formatCount(recorded.row.communicator.size, "rank"));
  if (!recorded.communicator.empty()) text += " of " + recorded.communicator;
  if (!key.cycle.empty()) text += ", " + key.cycle;
  return printable(text);
}

Json siteJson(const Evidence& evidence, const KeySummary& summary) {
  const RecordedKey& recorded = evidence.key;
  Json json;
  json["name"] = printable(fmt::format("Site {}, {}", recorded.siteNumber(), recorded.where()));
  json["subtitle"] = subtitleOf(recorded);
  json["state"] = printable(recorded.row.key.state);
  json["algorithm"] = printable(recorded.row.key.choice);
  json["cells"] = siteCells(recorded, summary);
  json["sparkline"] = sparkline(evidence.observations);
  json.update(siteReport(evidence));
  return json;
}

Json notDrawn() {
  return {{"why_not", fmt::format("Calls are drawn of the {} sites with most time in allreduce.", kReportCalls)}};
}

// Hosts of thousands of ranks would fill pages.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 240;
  return text.size() <= kMost ? text : text.substr(0, kMost) + " ...";
}

Json runEnvironmentTable(const RunRow& run) {
  ReportTable table("Environment", {{"What"}, {"Value"}});
  for (const auto& [name, value] : environmentRows(run)) table.addRow({textCell(name), textCell(value)});
  return table.json();
}

std::string orUnknown(const std::string& text) { return text.empty() ? "unknown" : text; }

}  // namespace

std::vector<std::pair<std::string, std::string>> environmentRows(const RunRow& row) {
  const Run& run = row.run;
  return {
      {"Program", run.program},
      {"Run", std::to_string(row.number)},
      {"Started", formatUtc(run.started) + " UTC"},
      {"Ended", row.finished ? formatUtc(*row.finished) + " UTC" : "unknown"},
      {"Ranks", std::to_string(run.environment.ranks)},
      {"Nodes", fmt::format("{} ({} on the fullest)", run.environment.nodes,
                            formatCount(run.environment.ranks_per_node, "rank"))},
      {"Hosts", orUnknown(shortened(run.hosts))},
      {"Processor", orUnknown(run.environment.processor)},
      {"MPI library", orUnknown(run.environment.mpi_version)},
      {"Transport", orUnknown(run.environment.transport)},
  };
}

Json reportHead(const std::string& kind, const std::string& title) {
  Json json;
  json["kind"] = kind;
  json["title"] = printable(title);
  json["version"] = STARLING_VERSION;
  json["written"] = formatUtc(std::time(nullptr)) + " UTC";
  return json;
}

Result<Json> runReport(const Recording& recording, const std::string& database, std::size_t most_keys) {
  const RunRow& run = recording.runs().back();
  const Result<RunSummary> summarized = summarizeRun(recording.reader(), run);
  if (!summarized.isOk()) return summarized.status();
  const RunSummary& summary = summarized.value();
  RunWarnings warnings(summary);
  Json sites = Json::array();
  const std::size_t shown = std::min(recording.keys().size(), most_keys);
  for (std::size_t i = 0; i < shown; ++i) {
    const Result<Evidence> evidence = recording.evidence(recording.keys()[i]);
    if (!evidence.isOk()) return evidence.status();
    warnings.add(evidence.value());
    sites.push_back(siteJson(evidence.value(), summary.keys[i]));
    sites.back()["call"] = i < kReportCalls ? drawnCall(evidence.value()) : notDrawn();
  }
  Json json = reportHead("run", fmt::format("{}, run {}", run.run.program, run.number));
  json["verdict"] = Json::array();
  for (const std::string& line : summaryLines(summary, false)) json["verdict"].push_back(printable(line));
  json["further"] = printable(furtherLine(summary, database));
  json["figures"] = figuresOf(summary);
  warnings.noteShown(shown, recording.keys().size());
  json["warnings"] = warnings.sentences();
  json["environment"] = runEnvironmentTable(run);
  json["sites_table"] = siteListTable();
  json["sites"] = std::move(sites);
  return json;
}

}  // namespace starling::cli
