// Policies as if an earlier run had learned them.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "store/sqlite.h"

namespace starling {

// Puts the choice in place of those that runs have learned.
inline void plantPolicies(const std::string& database, const std::string& choice) {
  const auto opened = sqlite::Connection::open(database, sqlite::Access::kReadWrite, Seconds{5.0});
  ASSERT_TRUE(opened.isOk()) << opened.status().message();
  const std::string planting =
      "UPDATE policies SET choice = '" + choice + "', virtual_ranks = '[]', lateness_ns = '[]'";
  const Status planted = opened.value().execute(planting.c_str());
  ASSERT_TRUE(planted.isOk()) << planted.message();
  ASSERT_GT(opened.value().changes(), 0);
}

}  // namespace starling
