// Policies as documents: Starling's own JSON, and Open MPI's classic rules file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "store/records.h"

namespace starling {

// A policy document: where it was learned, and what.
struct PolicyDocument {
  Environment environment;
  std::string program;
  std::vector<PolicyRecord> policies;
};

// JSON with "format": "starling-policy", "version": 1; all names lower_snake.
std::string formatPolicyJson(const PolicyDocument& document);
// Errors say line or field, what is wrong with it, and what was expected.
Result<PolicyDocument> parsePolicyJson(std::string_view text);

// An export, and what could not be expressed in the other library's format, one sentence each.
struct Export {
  std::string text;
  std::vector<std::string> warnings;
};

// Open MPI 4.1 / 5.0 classic rules file for allreduce (read with coll_tuned_use_dynamic_rules and
// coll_tuned_dynamic_rules_filename). The file knows communicator size and bytes only: of several sites the one with
// most time in allreduce wins. Algorithms that Open MPI does not have map to the nearest it has, with a warning. Ring
// and segmented ring are exported only when every operation seen is commutative, because Open MPI 4.1.4 does not check.
struct WeightedPolicy {
  PolicyRecord policy;
  double seconds = 0.0;  // time in allreduce: the weight between sites
};
Export exportOpenMpiRules(const std::vector<WeightedPolicy>& policies);

}  // namespace starling
