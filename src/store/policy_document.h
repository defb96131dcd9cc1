// Turns policies into documents: Starling's own JSON, and Open MPI's classic rules file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "store/records.h"

namespace starling {

// A policy document says where policies were learned, and what they are.
struct PolicyDocument {
  Environment environment;
  std::string program;
  std::vector<PolicyRecord> policies;
};

// Writes JSON with "format": "starling-policy", "version": 1; all names are lower_snake.
std::string formatPolicyJson(const PolicyDocument& document);
// Reads such JSON. Errors say line or field, what is wrong with it, and what was expected.
Result<PolicyDocument> parsePolicyJson(std::string_view text);

// An export, and what could not be expressed in the other library's format, one sentence each.
struct Export {
  std::string text;
  std::vector<std::string> warnings;
};

// Open MPI 4.1 and 5.0 read the classic rules file for allreduce with coll_tuned_use_dynamic_rules and
// coll_tuned_dynamic_rules_filename. The file knows communicator size and bytes only: of several sites the one with
// most time in allreduce wins. Algorithms that Open MPI does not have map to the nearest it has, with a warning. Ring
// and segmented ring are exported only when every operation seen is commutative, because Open MPI 4.1.4 does not check:
// those of the policies, and, as `all_commute` says, those of calls for which there is no policy.
struct WeightedPolicy {
  PolicyRecord policy;
  double seconds = 0.0;  // time in allreduce: the weight between sites
};
// Tells what Open MPI has in place of an algorithm. One without counterpart is left to Open MPI's own choice, with a
// warning.
struct OpenMpiCounterpart {
  std::string_view algorithm;        // Starling's
  std::string_view openmpi_nearest;  // a value of coll_tuned_allreduce_algorithm; "ignore": Open MPI's own choice
  bool is_same = false;              // else only the nearest that it has
  std::int64_t usual_segments = 0;   // where a choice names none; 0: it has none
};
Export exportOpenMpiRules(const std::vector<WeightedPolicy>& policies, std::span<const OpenMpiCounterpart> counterparts,
                          bool all_commute);

// Returns whether an operation of recorded calls commutes; false: it does not, or that is not known.
bool isKnownToCommute(std::string_view type, std::string_view operation);

}  // namespace starling
