// Holds what one database gives to another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "store/records.h"

namespace starling {

// How many calls each key of a run made.
using CallsOfKeys = std::map<KeyId, std::int64_t>;

// A run with all that is recorded of it. A communicator or site that several keys share is in `records` for each.
struct StoredRun {
  Run run;
  std::optional<std::int64_t> finished;  // seconds since 1970; empty: running, or ended without MPI_Finalize
  Batch records;
};

struct StoredPolicy {
  std::int64_t number = 0;  // of its row in that database
  Environment environment;
  std::string program;
  std::optional<std::string> run_id;    // of the run that learned it; empty: pruned, or imported
  std::optional<std::int64_t> started;  // of that run, seconds since 1970
  std::int64_t calls = 0;               // of that run, that it is for; 0: none, or pruned
  PolicyRecord policy;
};

// Tells what became of a record of another database.
enum class Merged {
  kAdded,    // it was not here
  kRenewed,  // it took the place of ours, or added to it
  kKept,     // ours stays
};

}  // namespace starling
