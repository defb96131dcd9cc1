#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "arrival_summary.h"
#include "command_options.h"
#include "commands.h"
#include "comparison.h"
#include "key_json.h"
#include "recording.h"
#include "table.h"
#include "terminal.h"
#include "text_format.h"

namespace starling::cli {
namespace {

constexpr double kBarWidth = 40.0;

// Draws a bar; that of the latest rank has the full width.
std::string bar(Seconds lateness, Seconds latest) {
  if (latest.value <= 0.0 || lateness.value <= 0.0) return "";
  return std::string(static_cast<std::size_t>(std::lround(kBarWidth * (lateness / latest))), '#');
}

void printArrivals(const ComparedBy& compared_by, const std::vector<RankArrival>& ranks) {
  if (ranks.empty()) {
    fmt::print("{}\n", whyNoArrivals(compared_by));
    return;
  }
  Table table({{"RANK", Align::kRight},
               {"LATENESS", Align::kRight},
               {"DEVIATION", Align::kRight},
               {"PREDICTED", Align::kRight},
               {"PREDICTOR"},
               {""}});
  const Seconds latest = latestRank(ranks)->lateness;
  for (const RankArrival& rank : ranks) {
    table.addRow({std::to_string(rank.rank), formatDuration(rank.lateness), formatDuration(rank.deviation),
                  formatDuration(rank.predicted), rank.method, bar(rank.lateness, latest)});
  }
  if (!ranks.empty()) fmt::print("{}", table.text());
  show("{}\n", describeLatest(ranks));
}

Json arrivalsJson(const RecordedKey& key, const std::vector<RankArrival>& ranks) {
  Json row;
  for (const char* field :
       {"run", "site", "where", "communicator", "communicator_size", "bytes", "type", "operation", "compared_by"}) {
    row[field] = keyJson(key)[field];
  }
  row["ranks"] = Json::array();
  for (const RankArrival& rank : ranks) row["ranks"].push_back(arrivalJson(rank));
  const RankArrival* outstanding = standingOut(ranks);
  row["stands_out"] = outstanding == nullptr ? Json(nullptr) : Json(outstanding->rank);
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
    const auto arrivals = recording.value().reader().arrivals(key.row.number);
    if (!arrivals.isOk()) return Outcome::fault(arrivals.status());
    const std::vector<RankArrival> ranks = summarizeArrivals(arrivals.value());
    if (query.json) {
      rows.push_back(arrivalsJson(key, ranks));
      continue;
    }
    if (!first) fmt::print("\n");
    show("Site {}: {}, {} {}/{}, run {}\n", key.siteNumber(), key.where(), formatBytes(Bytes{key.row.key.bytes}),
         key.row.key.id.type, key.row.key.id.operation, key.run.number);
    first = false;
    printArrivals(key.row.communicator.compared_by, ranks);
  }
  if (query.json) fmt::print("{}", formatJson(rows));
  return Outcome::ok();
}

}  // namespace

Action setUpArrivals(CLI::App& command, const Globals& globals) {
  const auto query = std::make_shared<Query>();
  addSiteQuery(command, *query);
  return [query, &globals] { return showArrivals(*query, globals.databaseInForce()); };
}

}  // namespace starling::cli
