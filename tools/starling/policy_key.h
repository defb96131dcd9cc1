// Tells which calls a policy is for.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "store/records.h"

namespace starling::cli {

// Policies that are equal in all of this are for the same calls.
using PolicyKey = std::tuple<std::string, std::int32_t, std::int32_t, std::string, std::string>;

inline PolicyKey keyOf(const PolicyRecord& policy) {
  return {policy.site, policy.communicator_size, policy.size_class, policy.type, policy.operation};
}

}  // namespace starling::cli
