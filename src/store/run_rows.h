// The rows of runs and environments, as the writer's side makes and finds them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "store/records.h"
#include "store/sqlite.h"

namespace starling {

// The run and the environment that a batch belongs to.
struct RunNumbers {
  std::optional<std::int64_t> run;  // empty for policies that no run of this database learned: nothing else is written
  std::int64_t environment = 0;
  std::string program;
};

// Returns the number of the environment, whose row is made where there is none yet. REQUIRES: a transaction is open.
Result<std::int64_t> insertEnvironment(const sqlite::Connection& connection, const Environment& environment);

// Errors: there is a run of that id. REQUIRES: a transaction is open.
Status insertRun(const sqlite::Connection& connection, const Run& run);

// Errors: those of unknownRun().
Result<RunNumbers> findRun(const sqlite::Connection& connection, const std::string& run_id);

// Returns the error that there is no run of that id.
Status unknownRun(const sqlite::Connection& connection, const std::string& run_id);

}  // namespace starling
