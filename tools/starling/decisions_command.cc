#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/text_format.h"
#include "command_options.h"
#include "commands.h"
#include "key_json.h"
#include "recording.h"
#include "store/history.h"
#include "table.h"
#include "terminal.h"

namespace starling::cli {
namespace {

struct Taken {
  RecordedKey key;
  DecisionRecord decision;
};

Result<std::vector<Taken>> decisionsOf(const Recording& recording, const std::vector<RecordedKey>& keys) {
  std::vector<Taken> taken;
  for (const RecordedKey& key : keys) {
    auto decisions = recording.reader().decisions(key.row.number);
    if (!decisions.isOk()) return decisions.status();
    for (DecisionRecord& decision : decisions.value()) taken.push_back({key, std::move(decision)});
  }
  return taken;
}

Table decisionsTable(const std::vector<Taken>& taken) {
  Table table({{"RUN", Align::kRight},
               {"SITE", Align::kRight},
               {"BYTES", Align::kRight},
               {"CALL", Align::kRight},
               {"EPOCH", Align::kRight},
               {"ALGORITHM"},
               {"COMPARED BY"},
               {"EXPECTED", Align::kRight},
               {"MEASURED", Align::kRight},
               {"NATIVE", Align::kRight},
               {"REASON"}});
  for (const auto& [key, decision] : taken) {
    table.addRow({std::to_string(key.run.number), std::to_string(key.siteNumber()),
                  formatBytes(Bytes{key.row.key.bytes}), std::to_string(decision.call), std::to_string(decision.epoch),
                  decision.choice, key.row.communicator.compared_by.value_or("-"), formatDuration(decision.expected),
                  formatDuration(decision.measured), formatDuration(decision.native), decision.reason});
  }
  return table;
}

// Returns whether a key has as many decisions as are kept of one.
bool mayLackOlder(const std::vector<Taken>& taken) {
  std::map<std::int64_t, std::int64_t> of_key;
  for (const Taken& one : taken) ++of_key[one.key.row.number];
  return std::any_of(of_key.begin(), of_key.end(), [](const auto& key) { return key.second >= kDecisionsKept; });
}

Outcome listDecisions(const Query& query, const std::string& database) {
  const Result<Recording> recording = Recording::open(database, query.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  std::vector<RecordedKey> keys = recording.value().keys();
  if (!query.site.empty()) {
    auto of_site = recording.value().keysOfSite(query.site);
    if (!of_site.isOk()) return Outcome::fault(of_site.status());
    keys = std::move(of_site).value();
  }
  const auto taken = decisionsOf(recording.value(), keys);
  if (!taken.isOk()) return Outcome::fault(taken.status());
  if (query.json) {
    Json rows = Json::array();
    for (const auto& [key, decision] : taken.value()) rows.push_back(decisionJson(key, decision));
    fmt::print("{}", formatJson(rows));
  } else if (taken.value().empty()) {
    show("No decision was taken in {}: not converged.\n", recording.value().describeRuns());
  } else {
    fmt::print("{}", decisionsTable(taken.value()).textWithin(lineWidth()));
    if (mayLackOlder(taken.value())) {
      fmt::print("Of each site's sizes only the latest {} decisions are kept.\n", kDecisionsKept);
    }
  }
  return Outcome::ok();
}

}  // namespace

Action setUpDecisions(CLI::App& command, const Globals& globals) {
  const auto query = std::make_shared<Query>();
  command.add_option("SITE", query->site, "Number or label of the site, or a part of its symbol (default: all sites)");
  addRunOption(command, query->run);
  addJsonFlag(command, query->json);
  command.footer(
      "EXPECTED is the post-arrival time by the cost model. MEASURED (of the algorithm) and NATIVE (of the MPI "
      "library's "
      "own)\nare times of the kind that COMPARED BY names: post_arrival, or elapsed where the ranks' clocks cannot be "
      "compared.");
  return [query, &globals] { return listDecisions(*query, globals.databaseInForce()); };
}

}  // namespace starling::cli
