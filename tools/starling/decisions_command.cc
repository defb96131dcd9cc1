#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/text_format.h"
#include "command_options.h"
#include "commands.h"
#include "explanation.h"
#include "key_json.h"
#include "listing.h"
#include "recording.h"
#include "store/history.h"
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

ListShape<Taken> decisionsShape() {
  return {
      {{"RUN", ColumnKind::kNumber, "run", [](const Taken& taken) { return std::to_string(taken.key.run.number); }},
       {"SITE", ColumnKind::kNumber, "site", [](const Taken& taken) { return std::to_string(taken.key.siteNumber()); }},
       {"COMMUNICATOR", ColumnKind::kText, "communicator", [](const Taken& taken) { return taken.key.communicator; }},
       {"BYTES", ColumnKind::kFigure, "bytes",
        [](const Taken& taken) { return formatBytes(Bytes{taken.key.row.key.bytes}); }},
       {"CALL", ColumnKind::kNumber, "call", [](const Taken& taken) { return std::to_string(taken.decision.call); }},
       {"EPOCH", ColumnKind::kNumber, "epoch", [](const Taken& taken) { return std::to_string(taken.decision.epoch); }},
       {"ALGORITHM", ColumnKind::kText, "algorithm", [](const Taken& taken) { return taken.decision.choice; }},
       {"COMPARED BY", ColumnKind::kText, "compared_by",
        [](const Taken& taken) { return taken.key.row.communicator.compared_by.value_or("-"); }},
       {"PREDICTED", ColumnKind::kFigure, "expected",
        [](const Taken& taken) { return formatDuration(taken.decision.expected); }},
       {"MEASURED", ColumnKind::kFigure, "measured",
        [](const Taken& taken) { return formatDuration(taken.decision.measured); }},
       {"NATIVE", ColumnKind::kFigure, "native",
        [](const Taken& taken) { return formatDuration(taken.decision.native); }},
       {"REASON", ColumnKind::kText, "reason", [](const Taken& taken) { return taken.decision.reason; }}},
      [](const Taken& taken) { return decisionJson(taken.key, taken.decision); }};
}

// Returns whether a key has as many decisions as are kept of one.
bool mayLackOlder(const std::vector<Taken>& taken) {
  std::map<std::int64_t, std::int64_t> of_key;
  for (const Taken& one : taken) ++of_key[one.key.row.number];
  return std::any_of(of_key.begin(), of_key.end(), [](const auto& key) { return key.second >= kDecisionsKept; });
}

Outcome listDecisions(const ListQuery& query, const std::string& database, const Look& look) {
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
  if (taken.value().empty() && !query.list.isForPrograms()) {
    const bool are_all_converged = std::ranges::all_of(keys, [](const auto& key) { return isConverged(key.row.key); });
    show("No decision was taken in {}{}.\n", recording.value().describeRuns(),
         are_all_converged ? "" : ": not converged");
    return Outcome::ok();
  }
  ListShape<Taken> shape = decisionsShape();
  shape.setShown("communicator",
                 std::ranges::any_of(keys, [](const RecordedKey& key) { return !key.communicator.empty(); }));
  const std::vector<Taken> listed = arranged(shape, taken.value(), query.list);
  fmt::print("{}", formatList(shape, listed, query.list, look));
  if (!query.list.isForPrograms() && mayLackOlder(taken.value())) {
    fmt::print("Of each site's sizes only the latest {} decisions are kept.\n", kDecisionsKept);
  }
  return Outcome::ok();
}

}  // namespace

Action setUpDecisions(CLI::App& command, const Globals& globals) {
  const auto query = std::make_shared<ListQuery>();
  addSiteArgument(command, query->site, false);
  addRunOption(command, query->run);
  addListOptions(command, query->list, decisionsShape().names());
  command.footer(
      "PREDICTED is the post-arrival time by the cost model alone. MEASURED (of the algorithm) and NATIVE (of the MPI "
      "library's own)\nare times of the kind that COMPARED BY names: post_arrival, or elapsed where the ranks' clocks "
      "cannot be "
      "compared.");
  return [query, &globals] { return listDecisions(*query, globals.databaseInForce(), globals.look()); };
}

}  // namespace starling::cli
