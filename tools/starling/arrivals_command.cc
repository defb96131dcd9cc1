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
#include "recording.h"
#include "summary/arrival_summary.h"
#include "table.h"
#include "terminal.h"

namespace starling::cli {
namespace {

constexpr double kBarWidth = 40.0;

// Draws a bar; that of the latest rank has the full width.
std::string bar(Seconds lateness, Seconds latest) {
  if (latest.value <= 0.0 || lateness.value <= 0.0) return "";
  return std::string(static_cast<std::size_t>(std::lround(kBarWidth * (lateness / latest))), '#');
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

void printRanks(const std::vector<RankArrival>& ranks) {
  Table table({{"RANK", Align::kRight},
               {"CALLS", Align::kRight},
               {"LAST", Align::kRight},
               {"LATENESS", Align::kRight},
               {"DEVIATION", Align::kRight},
               {"PREDICTED", Align::kRight},
               {"PREDICTOR"},
               {""}});
  Seconds latest;
  for (const RankArrival& rank : ranks) latest = std::max(latest, rank.lateness);
  for (const RankArrival& rank : ranks) {
    table.addRow({std::to_string(rank.rank), std::to_string(rank.samples), wholePercent(shareLast(rank)),
                  formatDuration(rank.lateness), formatDuration(rank.deviation), formatDuration(rank.predicted),
                  rank.method, bar(rank.lateness, latest)});
  }
  fmt::print("{}", table.text());
}

// Prints the classes from the first to the last that has a count.
void printHistogram(const ArrivalHistogram& histogram) {
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
  fmt::print("{}", table.text());
}

void printArrivals(const RecordedKey& key, const Arrivals& arrivals) {
  if (arrivals.ranks.empty()) {
    fmt::print("{}\n", whyNoArrivals(key.row.communicator.compared_by));
    return;
  }
  printRanks(arrivals.ranks);
  show("{}\n", describeLatest(arrivals.ranks));
  const bool has_others = std::cmp_less(arrivals.ranks.size(), key.row.communicator.size);
  if (has_others && arrivals.histogram.epochs > 0) printHistogram(arrivals.histogram);
  for (const std::string& sentence : describeRecorded(arrivals.ranks, arrivals.histogram, key.row.communicator.size)) {
    show("{}\n", sentence);
  }
}

Json arrivalsJson(const RecordedKey& key, const Arrivals& arrivals) {
  Json row;
  for (const char* field :
       {"run", "site", "where", "communicator", "communicator_size", "bytes", "type", "operation", "compared_by"}) {
    row[field] = keyJson(key)[field];
  }
  row["ranks"] = Json::array();
  for (const RankArrival& rank : arrivals.ranks) row["ranks"].push_back(arrivalJson(rank));
  const RankArrival* outstanding = standingOut(arrivals.ranks);
  row["stands_out"] = outstanding == nullptr ? Json(nullptr) : Json(outstanding->rank);
  row["histogram"] = histogramJson(arrivals.histogram);
  return row;
}

Outcome showArrivals(const Query& query, const std::string& database) {
  const Result<Recording> recording = Recording::open(database, query.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  const auto keys = recording.value().keysOfSite(query.site);
  if (!keys.isOk()) return Outcome::fault(keys.status());
  Json rows = Json::array();
  bool first = true;
  for (const RecordedKey& key : keys.value()) {
    const Result<Arrivals> arrivals = arrivalsOf(key, recording.value().reader());
    if (!arrivals.isOk()) return Outcome::fault(arrivals.status());
    if (query.json) {
      rows.push_back(arrivalsJson(key, arrivals.value()));
      continue;
    }
    if (!first) fmt::print("\n");
    const std::string& cycle = key.row.key.cycle;
    show("Site {}: {}, {} {}/{}{}, run {}\n", key.siteNumber(), key.where(), formatBytes(Bytes{key.row.key.bytes}),
         key.row.key.id.type, key.row.key.id.operation, cycle.empty() ? "" : ", " + cycle, key.run.number);
    first = false;
    printArrivals(key, arrivals.value());
  }
  if (query.json) fmt::print("{}", formatJson(rows));
  return Outcome::ok();
}

}  // namespace

Action setUpArrivals(CLI::App& command, const Globals& globals) {
  const auto query = std::make_shared<Query>();
  addSiteQuery(command, *query);
  command.footer(
      "LATENESS is the mean over CALLS, the timed calls in which the rank was recorded by itself: of many ranks these "
      "are\n"
      "those that come late beyond the noise, and the latest. LAST is the share of all timed calls in which it came "
      "last. The histogram counts all ranks, by mean lateness in an "
      "epoch.");
  return [query, &globals] { return showArrivals(*query, globals.databaseInForce()); };
}

}  // namespace starling::cli
