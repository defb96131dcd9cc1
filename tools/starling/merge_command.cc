#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "command_options.h"
#include "commands.h"
#include "store/database.h"
#include "store/reader.h"
#include "store/run_check.h"
#include "terminal.h"

namespace starling::cli {
namespace {

// Another database, opened.
struct Source {
  std::string path;
  Reader reader;
};

// Counts what became of records, by Merged.
struct Tally {
  int added = 0;
  int renewed = 0;
  int kept = 0;

  void add(Merged merged) {
    switch (merged) {
      case Merged::kAdded:
        ++added;
        break;
      case Merged::kRenewed:
        ++renewed;
        break;
      case Merged::kKept:
        ++kept;
        break;
    }
  }
  std::string text() const { return fmt::format("{} added, {} renewed, {} kept as they are", added, renewed, kept); }
};

Result<std::vector<Source>> openSources(const std::vector<std::string>& paths, const std::string& database) {
  std::vector<Source> sources;
  for (const std::string& path : paths) {
    std::error_code fault;
    if (std::filesystem::equivalent(path, database, fault)) {
      return Status::error(fmt::format("cannot merge {}: it is the database itself; name other files", path));
    }
    Result<Reader> reader = Reader::open(path);
    if (!reader.isOk()) {
      return Status::error(fmt::format("nothing was merged, each FILE has to be a database of Starling's: {}",
                                       reader.status().message()));
    }
    sources.push_back({path, std::move(reader).value()});
  }
  return sources;
}

Status mergeRuns(const Source& source, Database& database, Tally& tally) {
  const auto runs = source.reader.runs();
  if (!runs.isOk()) return runs.status();
  for (const RunRow& row : runs.value()) {
    const Result<CallsOfKeys> calls = source.reader.calls(row.number);
    if (!calls.isOk()) return calls.status();
    const Result<Merged> compared = database.compareRun(row.run.id, calls.value(), row.finished.has_value());
    if (!compared.isOk()) return compared.status();
    if (compared.value() == Merged::kKept) {
      tally.add(Merged::kKept);
      continue;
    }
    const Result<StoredRun> run = source.reader.wholeRun(row);
    if (!run.isOk()) return run.status();
    if (Status checked = checkRun(run.value()); !checked.isOk()) {
      return Status::error(
          fmt::format("cannot merge {}: {}; mend or delete that row with sqlite3, or leave the file out", source.path,
                      checked.message()));
    }
    const Result<Merged> merged = database.mergeRun(run.value());
    if (!merged.isOk()) return merged.status();
    tally.add(merged.value());
  }
  return Status::ok();
}

Status mergePolicies(const std::vector<StoredPolicy>& policies, Database& database, Tally& tally) {
  for (const StoredPolicy& policy : policies) {
    const Result<Merged> merged = database.mergePolicy(policy);
    if (!merged.isOk()) return merged.status();
    tally.add(merged.value());
  }
  return Status::ok();
}

Outcome merge(const std::vector<std::string>& paths, const std::string& path) {
  const auto sources = openSources(paths, path);
  if (!sources.isOk()) return Outcome::fault(sources.status());
  Result<Database> database = Database::open(path);
  if (!database.isOk()) return Outcome::fault(database.status());
  for (const Source& source : sources.value()) {
    Tally runs;
    Tally policies;
    // A job may begin and learn meanwhile: the runs that are read after the policies are all that these can be of.
    const auto learned = source.reader.allPolicies();
    if (!learned.isOk()) return Outcome::fault(learned.status());
    if (Status merged = mergeRuns(source, database.value(), runs); !merged.isOk()) return Outcome::fault(merged);
    if (Status merged = mergePolicies(learned.value(), database.value(), policies); !merged.isOk()) {
      return Outcome::fault(merged);
    }
    show("{}: runs: {}; policies: {}.\n", source.path, runs.text(), policies.text());
  }
  return Outcome::ok();
}

}  // namespace

Action setUpMerge(CLI::App& command, const Globals& globals) {
  const auto paths = std::make_shared<std::vector<std::string>>();
  command.add_option("FILE", *paths, "Tuning databases; they are only read")->required();
  command.footer(
      "A run that is here already is renewed where the other file knows more of its calls, call site by call site. Of\n"
      "two policies for the same calls the one stays that the later run learned, or of one run's that for which more\n"
      "calls are known; where the run is not known, the one that is here. Merging a file again changes nothing, but\n"
      "brings back what was pruned here meanwhile.");
  return [paths, &globals] { return merge(*paths, globals.databaseInForce()); };
}

}  // namespace starling::cli
