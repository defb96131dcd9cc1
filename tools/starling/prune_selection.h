// Chooses what `starling prune` removes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/reader.h"

namespace starling::cli {

struct PruneRule {
  std::optional<std::int64_t> older_than{};  // seconds since the run started
  std::optional<std::int64_t> keep_runs{};   // of each program, the latest
  std::vector<std::string> sites{};          // only of these, as findSite() takes them; the runs themselves stay
  bool unfinished = false;                   // also runs that have not finished
  bool policies = false;                     // also what was learned

  bool choosesRuns() const { return older_than || keep_runs; }
  bool removesSomething() const { return choosesRuns() || !sites.empty(); }
  // Tells whether it lets all runs go, whenever they started, that may go at all.
  bool choosesAllRuns() const {
    return removesSomething() && older_than.value_or(0) == 0 && keep_runs.value_or(0) == 0;
  }
};

// Returns the runs that the rule speaks of, oldest first: with both limits those that both let go; with neither all, if
// it has sites, else none. A run that has not finished may be running, and stays unless the rule says otherwise.
// REQUIRES: `runs` are oldest first. `now` is in seconds since 1970.
std::vector<RunRow> runsToPrune(std::span<const RunRow> runs, const PruneRule& rule, std::int64_t now);

// Returns whether the rule removes this policy, where it removes these runs and sites (by identity). A policy that no
// run of this database learned has no age, and may have been imported on purpose: it goes only with all runs.
bool isToPrune(const StoredPolicy& policy, const PruneRule& rule, std::span<const RunRow> runs,
               std::span<const std::string> sites);

}  // namespace starling::cli
