#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>

#include "base/text_format.h"
#include "command_options.h"
#include "commands.h"
#include "prune_selection.h"
#include "recording.h"
#include "site_lookup.h"
#include "store/pruner.h"
#include "store/reader.h"
#include "symbolizer.h"
#include "table.h"
#include "terminal.h"
#include "units_parse.h"
#include "utc_time.h"

namespace starling::cli {
namespace {

struct PruneArguments {
  std::string older_than;
  std::string keep_runs;
  PruneRule rule;
  bool dry_run = false;
};

struct PrunedRun {
  RunRow run;
  RunExtent extent;
};

// The sites that a rule names. One that only policies name has no number.
struct ChosenSites {
  std::vector<std::int64_t> numbers;
  std::vector<std::string> identities;
};

struct PrunePlan {
  std::vector<PrunedRun> runs;
  ChosenSites sites;
  std::vector<StoredPolicy> policies;
};

// Looks for sites where there is something to remove: they have keys, or are those of `policies`.
class PrunableSites {
 public:
  PrunableSites(const std::vector<SiteRow>& sites, const std::vector<StoredPolicy>& policies) {
    for (const StoredPolicy& policy : policies) only_in_policies_.insert(policy.policy.site);
    Symbolizer symbolizer;
    for (const SiteRow& row : sites) {
      const SiteRecord& site = row.site;
      const bool has_policies = only_in_policies_.erase(site.identity) > 0;
      if (!row.has_keys && !has_policies) continue;
      KeyRow key;
      key.site_number = row.number;
      key.site = site;
      known_.push_back({{}, std::move(key), symbolizer.locate(site.module, site.build_id, site.offset)});
    }
  }

  // Adds the site that `text` means to `chosen`.
  Status choose(const std::string& text, ChosenSites& chosen) const {
    const bool is_number = std::ranges::find(known_, text, [](const RecordedKey& key) {
                             return std::to_string(key.siteNumber());
                           }) != known_.end();
    for (const std::string& identity : {text, "label:" + text}) {
      if (is_number || only_in_policies_.count(identity) == 0) continue;
      chosen.identities.push_back(identity);
      return Status::ok();
    }
    const Result<std::int64_t> number = findSite(known_, text);
    if (!number.isOk()) return number.status();
    chosen.numbers.push_back(number.value());
    chosen.identities.push_back(std::ranges::find(known_, number.value(), &RecordedKey::siteNumber)->row.site.identity);
    return Status::ok();
  }

 private:
  std::vector<RecordedKey> known_;          // one for each site
  std::set<std::string> only_in_policies_;  // by identity: imported ones may name sites that no run has called from
};

Result<ChosenSites> sitesOf(const PruneRule& rule, const Reader& reader, const std::vector<StoredPolicy>& policies) {
  ChosenSites chosen;
  if (rule.sites.empty()) return chosen;
  const auto sites = reader.sites();
  if (!sites.isOk()) return sites.status();
  const PrunableSites prunable(sites.value(), policies);
  for (const std::string& site : rule.sites) {
    if (Status found = prunable.choose(site, chosen); !found.isOk()) return found;
  }
  return chosen;
}

Result<PrunePlan> planPruning(const PruneRule& rule, const std::string& database) {
  const Result<Reader> opened = Reader::open(database);
  if (!opened.isOk()) return opened.status();
  const Reader& reader = opened.value();
  const auto all_runs = reader.runs();
  if (!all_runs.isOk()) return all_runs.status();
  auto policies = rule.policies ? reader.allPolicies() : std::vector<StoredPolicy>();
  if (!policies.isOk()) return policies.status();
  Result<ChosenSites> sites = sitesOf(rule, reader, policies.value());
  if (!sites.isOk()) return sites.status();

  PrunePlan plan;
  plan.sites = std::move(sites).value();
  const std::vector<RunRow> runs = runsToPrune(all_runs.value(), rule, std::time(nullptr));
  for (const RunRow& run : runs) {
    const Result<RunExtent> extent =
        rule.sites.empty() ? reader.extent(run.number) : reader.extent(run.number, plan.sites.numbers);
    if (!extent.isOk()) return extent.status();
    if (rule.sites.empty() || extent.value().keys > 0) plan.runs.push_back({run, extent.value()});
  }
  for (StoredPolicy& policy : policies.value()) {
    if (isToPrune(policy, rule, runs, plan.sites.identities)) plan.policies.push_back(std::move(policy));
  }
  return plan;
}

void printPlan(const PrunePlan& plan, const Look& look) {
  if (!plan.runs.empty()) {
    Table table({{"RUN", Align::kRight},
                 {"PROGRAM"},
                 {"STARTED (UTC)"},
                 {"FINISHED"},
                 {"KEYS", Align::kRight},
                 {"RECORDS", Align::kRight}});
    for (const PrunedRun& pruned : plan.runs) {
      table.addRow({std::to_string(pruned.run.number), pruned.run.run.program, formatUtc(pruned.run.run.started),
                    pruned.run.finished ? "yes" : "no", std::to_string(pruned.extent.keys),
                    std::to_string(pruned.extent.records)});
    }
    fmt::print("{}", table.textWithin(look.width, look.has_colours));
  }
  if (plan.policies.empty()) return;
  Table table({{"POLICY OF"}, {"SITE"}, {"RANKS", Align::kRight}, {"TYPE/OP"}, {"ALGORITHM"}});
  for (const StoredPolicy& stored : plan.policies) {
    table.addRow({stored.program, stored.policy.site, std::to_string(stored.policy.communicator_size),
                  stored.policy.type + "/" + stored.policy.operation, stored.policy.choice});
  }
  fmt::print("{}", table.textWithin(look.width, look.has_colours));
}

// Returns "2 runs, 5 keys and 370 records" and policies, if there are any.
std::string describe(const PrunePlan& plan, const PruneRule& rule) {
  std::int64_t keys = 0;
  std::int64_t records = 0;
  for (const PrunedRun& run : plan.runs) {
    keys += run.extent.keys;
    records += run.extent.records;
  }
  const std::string what = fmt::format("{} and {}", formatCount(keys, "key"), formatCount(records, "record"));
  const std::string runs = formatCount(std::ssize(plan.runs), "run");
  const std::string text = rule.sites.empty() ? fmt::format("{}, {}", runs, what) : fmt::format("{} of {}", what, runs);
  if (plan.policies.empty()) return text;
  return fmt::format("{}, and {}", text, formatCount(std::ssize(plan.policies), "policy"));
}

Status carryOut(Pruner& pruner, const PrunePlan& plan, const PruneRule& rule) {
  // Policies go first: without their runs nothing would tell whose they are, if this were stopped in between.
  if (Status forgotten = pruner.removePolicies(plan.policies); !forgotten.isOk()) return forgotten;
  std::vector<std::int64_t> runs;
  for (const PrunedRun& pruned : plan.runs) runs.push_back(pruned.run.number);
  const Status removed = rule.sites.empty() ? pruner.removeRuns(runs) : pruner.removeSites(plan.sites.numbers, runs);
  if (!removed.isOk()) return removed;
  if (Status thinned = pruner.thin(); !thinned.isOk()) return thinned;
  return pruner.compact();
}

std::int64_t sizeOf(const std::string& file) {
  std::error_code fault;
  const std::uintmax_t bytes = std::filesystem::file_size(file, fault);
  return fault ? 0 : static_cast<std::int64_t>(bytes);
}

Outcome prune(const PruneArguments& arguments, const std::string& database, const Look& look) {
  PruneRule rule = arguments.rule;
  if (!arguments.older_than.empty()) rule.older_than = parseAge(arguments.older_than).value();
  if (!arguments.keep_runs.empty()) rule.keep_runs = parseCount(arguments.keep_runs).value();
  const Result<PrunePlan> plan = planPruning(rule, database);
  if (!plan.isOk()) return Outcome::fault(plan.status());
  printPlan(plan.value(), look);
  const std::string what = describe(plan.value(), rule);
  if (arguments.dry_run) {
    show("Would remove {} from {}, and join old epochs; nothing was changed.\n", what, database);
    return Outcome::ok();
  }
  const std::int64_t before = sizeOf(database);
  Result<Pruner> pruner = Pruner::open(database);
  if (!pruner.isOk()) return Outcome::fault(pruner.status());
  const Status done = carryOut(pruner.value(), plan.value(), rule);
  if (!done.isOk()) return Outcome::fault(done.message() + "; what was removed until then stays removed");
  show("Removed {} from {}; it has {} instead of {}.\n", what, database, formatBytes(Bytes{sizeOf(database)}),
       formatBytes(Bytes{before}));
  return Outcome::ok();
}

}  // namespace

Action setUpPrune(CLI::App& command, const Globals& globals) {
  const auto arguments = std::make_shared<PruneArguments>();
  command.add_option("--older-than", arguments->older_than, "Runs that started so long ago: 90m, 12h, 30d, 8w")
      ->option_text("AGE")
      ->check(checkedBy(parseAge));
  command.add_option("--keep-runs", arguments->keep_runs, "All runs but the latest N of each program")
      ->option_text("N")
      ->check(checkedBy(parseCount));
  command
      .add_option("--site", arguments->rule.sites,
                  "Of these runs (of all, where none are chosen) only this site; may be given again")
      ->option_text("SITE")
      ->allow_extra_args(false);
  command.add_flag("--unfinished", arguments->rule.unfinished,
                   "Also runs that have not finished: they were killed, or are still running");
  command.add_flag("--policies", arguments->rule.policies, "Also what these runs learned, from which later runs start");
  command.add_flag("--dry-run", arguments->dry_run, "Only say what would be removed");
  command.footer(
      "A run is removed that all given limits let go. Without a limit and a site nothing is removed. In each case old\n"
      "epochs are joined, also those of databases that an older Starling wrote, and the file is rewritten without\n"
      "free space. What was learned stays unless --policies is given. A policy that belongs to no run, because it was\n"
      "imported or its run was removed, goes where all runs may go: --keep-runs 0, --older-than 0m, or --site without\n"
      "a limit.");
  return [arguments, &globals] { return prune(*arguments, globals.databaseInForce(), globals.look()); };
}

}  // namespace starling::cli
