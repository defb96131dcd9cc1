#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "arrival_text.h"
#include "base/text_format.h"
#include "command_options.h"
#include "commands.h"
#include "comparison.h"
#include "key_json.h"
#include "listing.h"
#include "recording.h"
#include "summary/arrival_summary.h"
#include "terminal.h"

namespace starling::cli {
namespace {

constexpr std::size_t kBarWidth = 40;
// The other columns of the table of ranks take so much of a line.
constexpr std::size_t kBesideBar = 70;

// Draws a bar; that of the latest rank has the full width.
std::string bar(Seconds lateness, Seconds latest, std::size_t width = kBarWidth) {
  if (latest.value <= 0.0 || lateness.value <= 0.0) return "";
  return std::string(static_cast<std::size_t>(std::lround(static_cast<double>(width) * (lateness / latest))), '#');
}

// All that is known of when the ranks of a key arrive.
struct Arrivals {
  std::vector<RankArrival> ranks;
  ArrivalHistogram histogram;
};

Result<Arrivals> arrivalsOf(const RecordedKey& key, const Reader& reader) {
  const auto arrivals = reader.arrivals(key.row.number);
  if (!arrivals.isOk()) return arrivals.status();
  const auto histograms = reader.histograms(key.row.number);
  if (!histograms.isOk()) return histograms.status();
  return Arrivals{summarizeArrivals(arrivals.value(), histograms.value()), summarizeHistograms(histograms.value())};
}

// Lists ranks; their bars are drawn against the latest of `ranks`, and for a line of so many characters.
ListShape<RankArrival> ranksShape(const std::vector<RankArrival>& ranks = {}, std::size_t line = 0) {
  const std::size_t width = std::clamp(line, kBesideBar + 5, kBesideBar + kBarWidth) - kBesideBar;
  Seconds latest;
  for (const RankArrival& rank : ranks) latest = std::max(latest, rank.lateness);
  return {
      {{"RANK", ColumnKind::kNumber, "rank", [](const RankArrival& rank) { return std::to_string(rank.rank); }},
       {"CALLS", ColumnKind::kFigure, "samples", [](const RankArrival& rank) { return std::to_string(rank.samples); }},
       {"LAST",
        ColumnKind::kFigure,
        "last",
        [](const RankArrival& rank) { return wholePercent(shareLast(rank)); },
        {},
        [](const RankArrival& rank) { return optionalJson(shareLast(rank)); }},
       {"LATENESS", ColumnKind::kFigure, "lateness",
        [](const RankArrival& rank) { return formatDuration(rank.lateness); }},
       {"DEVIATION", ColumnKind::kFigure, "deviation",
        [](const RankArrival& rank) { return formatDuration(rank.deviation); }},
       {"PREDICTED", ColumnKind::kFigure, "predicted",
        [](const RankArrival& rank) { return formatDuration(rank.predicted); }},
       {"PREDICTOR", ColumnKind::kText, "predictor", [](const RankArrival& rank) { return rank.method; }},
       {"", ColumnKind::kText, "lateness",
        [latest, width](const RankArrival& rank) { return bar(rank.lateness, latest, width); }}},
      arrivalJson};
}

// Prints the classes from the first to the last that has a count.
void printHistogram(const ArrivalHistogram& histogram, const Look& look) {
  Table table({{"ALL RANKS"}, {"SHARE", Align::kRight}, {""}});
  const auto is_counted = [](std::int64_t count) { return count > 0; };
  const auto first = std::find_if(histogram.counts.begin(), histogram.counts.end(), is_counted);
  const auto last = std::find_if(histogram.counts.rbegin(), histogram.counts.rend(), is_counted).base();
  const auto total = static_cast<double>(std::accumulate(first, last, std::int64_t{0}));
  for (auto count = first; count < last; ++count) {
    const double share = static_cast<double>(*count) / total;
    table.addRow({classTitle(static_cast<std::size_t>(count - histogram.counts.begin())),
                  fmt::format("{:.1f}%", 100.0 * share), bar(Seconds{share}, Seconds{1.0})});
  }
  fmt::print("{}", table.textWithin(look.width, look.has_colours));
}

void printArrivals(const RecordedKey& key, const Arrivals& arrivals, const ListOptions& options, const Look& look) {
  if (arrivals.ranks.empty()) {
    fmt::print("{}\n", whyNoArrivals(key.row.communicator.compared_by));
    return;
  }
  const ListShape<RankArrival> shape = ranksShape(arrivals.ranks, look.width);
  fmt::print("{}", formatList(shape, arranged(shape, arrivals.ranks, options), options, look));
  show("{}\n", describeLatest(arrivals.ranks));
  const bool has_others = std::cmp_less(arrivals.ranks.size(), key.row.communicator.size);
  if (has_others && arrivals.histogram.epochs > 0) printHistogram(arrivals.histogram, look);
  for (const std::string& sentence : describeRecorded(arrivals.ranks, arrivals.histogram, key.row.communicator.size)) {
    show("{}\n", sentence);
  }
}

Json arrivalsJson(const RecordedKey& key, const Arrivals& arrivals, const ListOptions& options) {
  Json row = keyNameJson(key);
  row["ranks"] = recordsOf(ranksShape(), arranged(ranksShape(), arrivals.ranks, options));
  const RankArrival* outstanding = standingOut(arrivals.ranks);
  row["stands_out"] = outstanding == nullptr ? Json(nullptr) : Json(outstanding->rank);
  row["histogram"] = histogramJson(arrivals.histogram);
  return row;
}

void printTitle(const RecordedKey& key) {
  const std::string& cycle = key.row.key.cycle;
  show("Site {}: {}, {} {}/{}{}, {}, run {}\n", key.siteNumber(), key.where(), formatBytes(Bytes{key.row.key.bytes}),
       key.row.key.id.type, key.row.key.id.operation, cycle.empty() ? "" : ", " + cycle, key.ranks(), key.run.number);
}

Outcome showArrivals(const ListQuery& query, const std::string& database, const Look& look) {
  const Result<Recording> recording = Recording::open(database, query.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  const auto keys = recording.value().keysOfSite(query.site);
  if (!keys.isOk()) return Outcome::fault(keys.status());
  Json rows = Json::array();
  bool first = true;
  for (const RecordedKey& key : keys.value()) {
    const Result<Arrivals> arrivals = arrivalsOf(key, recording.value().reader());
    if (!arrivals.isOk()) return Outcome::fault(arrivals.status());
    if (query.list.json) {
      rows.push_back(arrivalsJson(key, arrivals.value(), query.list));
    } else if (query.list.csv) {
      for (const RankArrival& rank : arranged(ranksShape(), arrivals.value().ranks, query.list)) {
        rows.push_back(namedRecord(key, arrivalJson(rank)));
      }
    } else {
      if (!std::exchange(first, false)) fmt::print("\n");
      printTitle(key);
      printArrivals(key, arrivals.value(), query.list, look);
    }
  }
  if (query.list.isForPrograms()) fmt::print("{}", query.list.json ? formatJson(rows) : formatCsv(rows));
  return Outcome::ok();
}

}  // namespace

Action setUpArrivals(CLI::App& command, const Globals& globals) {
  const auto query = std::make_shared<ListQuery>();
  addSiteListQuery(command, *query, ranksShape().names());
  command.footer(
      "LATENESS is the mean over CALLS, the timed calls in which the rank was recorded by itself: of many ranks these "
      "are\n"
      "those that come late beyond the noise, and the latest. LAST is the share of all timed calls in which it came "
      "last. The histogram counts all ranks, by mean lateness in an "
      "epoch.");
  return [query, &globals] { return showArrivals(*query, globals.databaseInForce(), globals.look()); };
}

}  // namespace starling::cli
