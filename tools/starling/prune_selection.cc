#include "prune_selection.h"

#include <algorithm>
#include <map>

namespace starling::cli {

std::vector<RunRow> runsToPrune(std::span<const RunRow> runs, const PruneRule& rule, std::int64_t now) {
  std::vector<RunRow> chosen;
  if (!rule.removesSomething()) return chosen;
  std::map<std::string, std::int64_t> newer;  // runs of the program that were seen already
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const std::int64_t place = newer[run->run.program]++;
    if (rule.keep_runs && place < *rule.keep_runs) continue;
    if (rule.older_than && now - run->run.started <= *rule.older_than) continue;
    if (!run->finished && !rule.unfinished) continue;
    chosen.push_back(*run);
  }
  std::reverse(chosen.begin(), chosen.end());
  return chosen;
}

bool isToPrune(const StoredPolicy& policy, const PruneRule& rule, std::span<const RunRow> runs,
               std::span<const std::string> sites) {
  if (!rule.policies) return false;
  if (!sites.empty() && std::find(sites.begin(), sites.end(), policy.policy.site) == sites.end()) return false;
  if (!policy.run_id) return rule.choosesAllRuns();
  return std::any_of(runs.begin(), runs.end(), [&](const RunRow& run) { return run.run.id == *policy.run_id; });
}

}  // namespace starling::cli
