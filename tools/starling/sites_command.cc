#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>

#include "base/text_format.h"
#include "command_options.h"
#include "commands.h"
#include "comparison.h"
#include "key_json.h"
#include "key_tone.h"
#include "listing.h"
#include "recording.h"
#include "terminal.h"

namespace starling::cli {
namespace {

using Key = RecordedKey;

ListShape<Key> sitesShape() {
  return {
      {{"RUN", ColumnKind::kNumber, "run", [](const Key& key) { return std::to_string(key.run.number); }},
       {"SITE", ColumnKind::kNumber, "site", [](const Key& key) { return std::to_string(key.siteNumber()); }},
       {"WHERE", ColumnKind::kText, "where", [](const Key& key) { return key.where(); }},
       {"RANKS", ColumnKind::kFigure, "communicator_size",
        [](const Key& key) { return std::to_string(key.row.communicator.size); }},
       {"BYTES", ColumnKind::kFigure, "bytes", [](const Key& key) { return formatBytes(Bytes{key.row.key.bytes}); }},
       {"TYPE/OP", ColumnKind::kText, "type",
        [](const Key& key) { return key.row.key.id.type + "/" + key.row.key.id.operation; }},
       {"CALLS", ColumnKind::kFigure, "calls", [](const Key& key) { return std::to_string(key.row.key.calls); }},
       {"TIME", ColumnKind::kFigure, "seconds", [](const Key& key) { return formatDuration(key.row.key.seconds); }},
       {"IMBALANCE", ColumnKind::kFigure, "imbalance",
        [](const Key& key) { return formatDuration(key.row.key.imbalance); }},
       {"ALGORITHM", ColumnKind::kText, "algorithm", [](const Key& key) { return key.row.key.choice; }},
       {"GAIN", ColumnKind::kFigure, "gain", [](const Key& key) { return formatRatio(key.row.key.gain); },
        [](const Key& key) { return toneOfGain(key.row.key.gain); }},
       {"STATE", ColumnKind::kText, "state", [](const Key& key) { return key.row.key.state; },
        [](const Key& key) { return toneOfState(key.row.key.state); }},
       {"OF ITS CALLS", ColumnKind::kText, "cycle",
        [](const Key& key) { return key.row.key.cycle.empty() ? "all" : key.row.key.cycle; }},
       {"COMMUNICATOR", ColumnKind::kText, "communicator_name", [](const Key& key) { return key.communicator; }}},
      keyJson};
}

// Hides the columns in which all keys of the recording are alike.
ListShape<Key> sitesShape(const Recording& recording) {
  const auto any_key = [&recording](const auto& condition) { return std::ranges::any_of(recording.keys(), condition); };
  ListShape<Key> shape = sitesShape();
  shape.setShown("run", recording.runs().size() > 1);
  shape.setShown("cycle", any_key([](const Key& key) { return !key.row.key.cycle.empty(); }));
  shape.setShown("communicator_name", any_key([](const Key& key) { return !key.communicator.empty(); }));
  return shape;
}

// Names the sites whose keys were compared by `compared_by` as a sentence begins: "Sites 1, 2: ".
std::string sitesComparedBy(const std::vector<RecordedKey>& keys, const ComparedBy& compared_by) {
  std::set<std::int64_t> sites;
  for (const RecordedKey& key : keys) {
    const bool has_figures = key.row.key.seconds.has_value() || key.row.key.gain.has_value();
    if (has_figures && key.row.communicator.compared_by == compared_by) sites.insert(key.siteNumber());
  }
  if (sites.empty()) return "";
  return fmt::format("Site{} {}: ", sites.size() == 1 ? "" : "s", fmt::join(sites, ", "));
}

void printNotes(const std::vector<RecordedKey>& keys) {
  for (const ComparedBy& compared_by : {ComparedBy(kByElapsed), ComparedBy()}) {
    const std::string sites = sitesComparedBy(keys, compared_by);
    if (!sites.empty()) fmt::print("{}\n", comparisonNote(compared_by, sites));
  }
  if (std::ranges::any_of(keys, &RecordedKey::isCountedLate)) {
    fmt::print("CALLS of communicators other than MPI_COMM_WORLD may count only from when these were prepared.\n");
  }
}

Outcome listSites(const ListQuery& query, const std::string& database, const Look& look) {
  const Result<Recording> recording = Recording::open(database, query.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  if (recording.value().keys().empty()) {
    show(stderr,
         "starling: {} recorded no allreduce; `starling sites --run all` shows every run. Of communicators that are "
         "used for a few calls nothing is recorded: set STARLING_PREPARE=always for the program if it should be\n",
         recording.value().describeRuns());
    if (!query.list.isForPrograms()) return Outcome::ok();
  }
  const ListShape<RecordedKey> shape = sitesShape(recording.value());
  const std::vector<RecordedKey> keys = arranged(shape, recording.value().keys(), query.list);
  fmt::print("{}", formatList(shape, keys, query.list, look));
  if (!query.list.isForPrograms()) printNotes(keys);
  return Outcome::ok();
}

}  // namespace

Action setUpSites(CLI::App& command, const Globals& globals) {
  const auto query = std::make_shared<ListQuery>();
  addRunOption(command, query->run);
  addListOptions(command, query->list, sitesShape().names());
  command.footer(
      "TIME is the time in allreduce, mean over ranks. IMBALANCE is the mean lateness of the latest rank. GAIN is the\n"
      "post-arrival time of the MPI library's own allreduce divided by that of the algorithm in force; where the "
      "ranks'\n"
      "clocks cannot be compared it is the ratio of mean elapsed times. What is not known is -.");
  return [query, &globals] { return listSites(*query, globals.databaseInForce(), globals.look()); };
}

}  // namespace starling::cli
