// Runs commands of the built `starling` on the example database.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli_process.h"
#include "example_database.h"

namespace starling::cli {

class ExampleCommands : public testing::Test {
 protected:
  void SetUp() override { writeExampleDatabase(database_); }

  CliResult run(const std::string& arguments, const std::string& environment = "") const {
    return runStarling(arguments + " --db '" + database_ + "'", environment);
  }
  nlohmann::json parsed(const std::string& arguments) const { return jsonOf(run(arguments)); }

  const TemporaryFolder folder_;
  const std::string database_ = folder_.file("tuning.db");
};

}  // namespace starling::cli
