#include <fmt/format.h>

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
  std::vector<std::int64_t> keys;
  std::int64_t records = 0;
};

struct PrunePlan {
  std::vector<PrunedRun> runs;
  std::vector<StoredPolicy> policies;
};

// Finds the sites that the rule names among all keys of the database, and their identities.
Result<std::set<std::int64_t>> sitesOf(const PruneRule& rule, const std::vector<RecordedKey>& keys,
                                       std::vector<std::string>& identities) {
  std::set<std::int64_t> numbers;
  for (const std::string& site : rule.sites) {
    const Result<std::int64_t> number = findSite(keys, site);
    if (!number.isOk()) return number.status();
    numbers.insert(number.value());
    for (const RecordedKey& key : keys) {
      if (key.siteNumber() != number.value()) continue;
      identities.push_back(key.row.site.identity);
      break;
    }
  }
  return numbers;
}

// Finds what is to go of one run: the keys of `sites`, or all where the rule names no site.
Result<PrunedRun> planRun(const RunRow& run, const PruneRule& rule, const std::set<std::int64_t>& sites,
                          const Recording& recording) {
  PrunedRun pruned{run, {}, 0};
  for (const RecordedKey& key : recording.keys()) {
    const bool is_meant = rule.sites.empty() || sites.count(key.siteNumber()) > 0;
    if (key.run.number != run.number || !is_meant) continue;
    const Result<std::int64_t> records = recording.reader().records(key.row.number);
    if (!records.isOk()) return records.status();
    pruned.keys.push_back(key.row.number);
    pruned.records += records.value();
  }
  return pruned;
}

Status planPolicies(const PruneRule& rule, const std::vector<RunRow>& runs, const std::vector<std::string>& sites,
                    const Reader& reader, PrunePlan& plan) {
  if (!rule.policies) return Status::ok();
  auto policies = reader.allPolicies();
  if (!policies.isOk()) return policies.status();
  for (StoredPolicy& policy : policies.value()) {
    if (isToPrune(policy, rule, runs, sites)) plan.policies.push_back(std::move(policy));
  }
  return Status::ok();
}

Result<bool> hasRuns(const std::string& database) {
  const Result<Reader> reader = Reader::open(database);
  if (!reader.isOk()) return reader.status();
  const auto runs = reader.value().runs();
  if (!runs.isOk()) return runs.status();
  return !runs.value().empty();
}

Result<PrunePlan> planPruning(const PruneRule& rule, const std::string& database) {
  PrunePlan plan;
  const Result<bool> has_runs = hasRuns(database);
  if (!has_runs.isOk()) return has_runs.status();
  if (!has_runs.value()) return plan;
  const Result<Recording> opened = Recording::open(database, "all");
  if (!opened.isOk()) return opened.status();
  const Recording& recording = opened.value();
  std::vector<std::string> identities;
  const auto sites = sitesOf(rule, recording.keys(), identities);
  if (!sites.isOk()) return sites.status();
  const std::vector<RunRow> runs = runsToPrune(recording.runs(), rule, std::time(nullptr));
  for (const RunRow& run : runs) {
    const Result<PrunedRun> pruned = planRun(run, rule, sites.value(), recording);
    if (!pruned.isOk()) return pruned.status();
    if (rule.sites.empty() || !pruned.value().keys.empty()) plan.runs.push_back(pruned.value());
  }
  const Status planned = planPolicies(rule, runs, identities, recording.reader(), plan);
  if (!planned.isOk()) return planned;
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
                    pruned.run.finished ? "yes" : "no", std::to_string(pruned.keys.size()),
                    std::to_string(pruned.records)});
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
    keys += std::ssize(run.keys);
    records += run.records;
  }
  const std::string what = fmt::format("{} and {}", formatCount(keys, "key"), formatCount(records, "record"));
  const std::string runs = formatCount(std::ssize(plan.runs), "run");
  const std::string text = rule.sites.empty() ? fmt::format("{}, {}", runs, what) : fmt::format("{} of {}", what, runs);
  if (plan.policies.empty()) return text;
  return fmt::format("{}, and {}", text, formatCount(std::ssize(plan.policies), "policy"));
}

Status carryOut(Pruner& pruner, const PrunePlan& plan, const PruneRule& rule) {
  for (const PrunedRun& pruned : plan.runs) {
    for (const std::int64_t key : pruned.keys) {
      if (Status removed = pruner.removeKey(key); !removed.isOk()) return removed;
    }
    if (!rule.sites.empty()) continue;
    if (Status removed = pruner.removeRun(pruned.run.number); !removed.isOk()) return removed;
  }
  std::vector<std::int64_t> numbers;
  for (const StoredPolicy& policy : plan.policies) numbers.push_back(policy.number);
  if (Status removed = pruner.removePolicies(numbers); !removed.isOk()) return removed;
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
      "epochs are joined, also those of databases that an older Starling wrote, and the file is rewritten without "
      "free\n"
      "space. What was learned stays unless --policies is given.");
  return [arguments, &globals] { return prune(*arguments, globals.databaseInForce(), globals.look()); };
}

}  // namespace starling::cli
