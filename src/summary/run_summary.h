// Sums up what one run spent in allreduce, for whom it waited, and what tuning won.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "store/reader.h"

namespace starling {

// What a call usually took is the median over epochs of their means. What native would have taken is taken to be the
// gain times what the choice in force usually took, or, where native is in force or no gain is known (as where arrivals
// have just changed), what its own calls took. All times are in seconds, means over the ranks of the communicator;
// empty: not known.
struct KeySummary {
  KeyRow row;
  std::string site{};                   // the best name that is known of its call site
  std::string communicator{};           // its name, where the run has several; empty: it has one
  std::optional<double> waiting{};      // for ranks that came late
  std::optional<double> saved{};        // beside native, in calls that were no trials; below 0: lost
  std::optional<double> saved_error{};  // its standard error
  std::optional<double> exploring{};    // that trials took beyond native; below 0: they took less
  // Whose calls, but for trials, `saved` is of: the choice in force, other algorithms than native before it, or both.
  bool has_own_calls = false;
  bool has_former_choices = false;
};

// Returns whether other algorithms than native were tried in the key's calls, or are in force.
inline bool isTuned(const KeyRecord& key) { return key.choice != kNativeName || key.exploration_calls > 0; }

// The rank that the others waited for most.
struct LatestRank {
  std::int64_t rank = 0;  // in MPI_COMM_WORLD
  std::string host;       // "": not known
  double share = 0.0;     // of the waiting, that was for this rank
};

// All times are in seconds, means over the ranks of MPI_COMM_WORLD; empty: not known.
struct RunSummary {
  RunRow run;
  std::vector<KeySummary> keys;  // by falling time
  // In the keys' calls and in those on communicators that were not worth preparing; no more than the run took, to more
  // than which they may add up where threads call at the same time.
  std::optional<double> seconds;
  std::optional<double> waiting;
  bool is_waiting_partial = false;  // of some calls it is not known
  std::optional<double> saved;      // of the keys of which it is known, as the next two
  std::optional<double> saved_error;
  std::optional<double> exploring;
  bool adds_up_to_more = false;   // keys' own times do, than the run took; what is said of all of them is made to fit
  std::int64_t unclear_keys = 0;  // that made calls of other choices, of which it is not known
  std::optional<LatestRank> latest;
};

// Returns what the run spent in allreduce, as RunSummary::seconds has it. `keys` are all of the run.
std::optional<double> timeInAllreduce(const Run& run, std::span<const KeyRow> keys);

// Errors: those of reading the run's keys and records.
Result<RunSummary> summarizeRun(const Reader& reader, const RunRow& run);

// Returns whether allreduce took so much of the run that its time is worth a word.
bool isWorthTelling(const RunSummary& summary);

}  // namespace starling
