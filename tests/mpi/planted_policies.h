// Policies as if an earlier run had learned them.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "launcher.h"
#include "store/sqlite.h"

namespace starling {

// Puts the choice, which native is to take `gain` times as long as, in place of those that runs have learned. Returns
// whether there are any.
inline bool plantPolicies(const std::string& database, const std::string& choice, double gain) {
  const auto opened = sqlite::Connection::open(database, sqlite::Access::kReadWrite, Seconds{5.0});
  EXPECT_TRUE(opened.isOk()) << opened.status().message();
  if (!opened.isOk()) return false;
  const std::string planting = "UPDATE policies SET choice = '" + choice + "', gain = " + std::to_string(gain) +
                               ", compared_by = 'post_arrival', virtual_ranks = '[]', lateness_ns = '[]'";
  const Status planted = opened.value().execute(planting.c_str());
  EXPECT_TRUE(planted.isOk()) << planted.message();
  return planted.isOk() && opened.value().changes() > 0;
}

// Runs the program until it has learned something, and then plants the choice. Returns whether that was so: where times
// vary much a run may still explore when it ends.
inline bool learnAndPlant(const Launch& program, const std::string& database, const std::string& choice, double gain) {
  constexpr int kMostRuns = 5;
  for (int run = 0; run < kMostRuns; ++run) {
    const Outcome outcome = launch(program);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    if (plantPolicies(database, choice, gain)) return true;
  }
  return false;
}

}  // namespace starling
