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
#include "listing.h"
#include "recording.h"
#include "site_list.h"
#include "terminal.h"

namespace starling::cli {
namespace {

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
    fmt::print("CALLS may lack those that came before the communicator was worth preparing (STARLING_PREPARE).\n");
  }
}

// Says what of a run is recorded nowhere.
std::string whyNothing(const std::vector<RunRow>& runs) {
  std::string why =
      "Calls of one rank alone, of vectors without elements, and those that come before a communicator is worth "
      "preparing are not recorded; STARLING_PREPARE=always has the last recorded, too";
  std::int64_t calls = 0;
  for (const RunRow& run : runs) calls += run.run.beside_keys.calls.value_or(0);
  why +=
      calls > 0 ? fmt::format(": each rank made {} such {}, on average.", calls, calls == 1 ? "call" : "calls") : ".";
  if (std::ranges::any_of(runs, [](const RunRow& run) { return !run.finished; })) {
    return "A run that is still going on, or ended without MPI_Finalize, lacks what was not yet stored; that is done "
           "every STARLING_FLUSH_INTERVAL seconds, or up to five times as seldom. " +
           why;
  }
  return why;
}

Outcome listSites(const ListQuery& query, const std::string& database, const Look& look) {
  const Result<Recording> recording = Recording::open(database, query.run);
  if (!recording.isOk()) return Outcome::fault(recording.status());
  if (recording.value().keys().empty()) {
    const char* const elsewhere =
        recording.value().runs().size() > 1 ? "." : "; `starling sites --run all` shows those of all runs.";
    show(stderr, "starling: {} recorded no allreduce{} {}\n", recording.value().describeRuns(), elsewhere,
         whyNothing(recording.value().runs()));
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
      "usual post-arrival time of the MPI library's own allreduce divided by that of the algorithm in force, medians "
      "of\n"
      "the latest calls, where `show` and `whatif` have means of all; where the ranks' clocks cannot be compared it "
      "is\n"
      "the ratio of mean elapsed times. What is not known is -.");
  return [query, &globals] { return listSites(*query, globals.databaseInForce(), globals.look()); };
}

}  // namespace starling::cli
