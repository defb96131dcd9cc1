#include "store/policy_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace starling {
namespace {

constexpr std::int32_t kLargestClass = 62;  // 2^62 bytes is the last power of two that 63 bits hold with room for + 1

bool isPermutation(const std::vector<std::int32_t>& table) {
  std::vector<std::int32_t> sorted = table;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<std::int32_t>(i)) return false;
  }
  return true;
}

}  // namespace

Status checkPolicy(const PolicyRecord& policy, const std::string& where) {
  const auto ranks = static_cast<std::size_t>(std::max(policy.communicator_size, 0));
  if (policy.communicator_size < 1) {
    return Status::error(
        fmt::format("{}.communicator_size: is {}; expected 1 or more", where, policy.communicator_size));
  }
  if (policy.size_class < 0 || policy.size_class > kLargestClass) {
    return Status::error(
        fmt::format("{}.size_class: is {}; expected 0 to {}, class c being the bytes above 2^(c-1) up to 2^c", where,
                    policy.size_class, kLargestClass));
  }
  if (policy.site.empty()) return Status::error(where + ".site: is empty; expected a site's identity, or \"any\"");
  if (policy.choice.empty()) return Status::error(where + ".choice: is empty; expected an algorithm, as in \"ring\"");
  if (!policy.table.empty() && (policy.table.size() != ranks || !isPermutation(policy.table))) {
    return Status::error(fmt::format(
        "{}.table: is no order of the ranks; expected each of 0 to {} once, or an empty list", where, ranks - 1));
  }
  if (!policy.lateness_ns.empty() && policy.lateness_ns.size() != ranks) {
    return Status::error(fmt::format("{}.lateness_ns: has {} entries; expected {}, one for each virtual rank, or none",
                                     where, policy.lateness_ns.size(), ranks));
  }
  if (policy.gain && !std::isfinite(*policy.gain)) {
    return Status::error(
        fmt::format("{}.gain: is {}; expected a number, or nothing where it is not known", where, *policy.gain));
  }
  if (policy.compared_by && *policy.compared_by != kByPostArrival && *policy.compared_by != kByElapsed) {
    return Status::error(fmt::format("{}.compared_by: is \"{}\"; expected \"{}\" or \"{}\"", where, *policy.compared_by,
                                     kByPostArrival, kByElapsed));
  }
  return Status::ok();
}

}  // namespace starling
