#include "mpi/former_builds.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace starling {
namespace {

using Kind = std::tuple<std::int32_t, std::int32_t, std::string, std::string>;

// What former builds say of one kind of calls.
struct Former {
  std::string build;                   // whose policy came first
  std::optional<PolicyRecord> latest;  // of it; empty: something else is known, or the sites of that build disagree
};

}  // namespace

std::vector<PolicyRecord> withoutFormerBuilds(std::vector<PolicyRecord> policies, const LoadedBuilds& loaded) {
  std::map<Kind, Former> kinds;
  std::vector<PolicyRecord> left;
  for (PolicyRecord& policy : policies) {
    std::string build = buildOfSite(policy.site);
    const auto [known, is_first] = kinds.try_emplace(Kind(policy.kind()));
    Former& former = known->second;
    if (!loaded.haveAnotherOf(build)) {
      former = {};
      left.push_back(std::move(policy));
    } else if (is_first) {
      policy.site = "any";
      former = {std::move(build), std::move(policy)};
    } else if (former.build == build && former.latest &&
               (former.latest->choice != policy.choice || former.latest->table != policy.table)) {
      former.latest.reset();
    }
  }
  for (auto& [kind, former] : kinds) {
    if (former.latest) left.push_back(*std::move(former.latest));
  }
  return left;
}

}  // namespace starling
