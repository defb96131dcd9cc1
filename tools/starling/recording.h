// Reads what the database recorded of the runs that a command asks for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "store/reader.h"
#include "symbolizer.h"

namespace starling::cli {

// A key of one run, with its place in the source.
struct RecordedKey {
  RunRow run;
  KeyRow row;
  Place place;
  // What tells its communicator from the others of the run; empty where there is one alone.
  std::string communicator{};

  // Returns the number of the site, which is the same in all runs.
  std::int64_t siteNumber() const { return row.site_number; }
  std::string where() const;
  // Returns "4 ranks", or "4 ranks of rows" where the run has several communicators.
  std::string ranks() const;
  // Returns whether some of the calls may be missing, as those are that came before the communicator was prepared.
  bool isCountedLate() const;
};

// All that is known of one key.
struct Evidence {
  RecordedKey key;
  std::vector<ObservationRecord> observations;
  std::vector<ArrivalRecord> arrivals;
  std::vector<HistogramRecord> histograms;
  std::vector<DecisionRecord> decisions;
};

// Checks that the text is "latest", "all" or the number of a run; an error says what a run can be given as.
Status checkRunChoice(const std::string& text);

// Returns those of the runs, oldest first, that are chosen. REQUIRES: checkRunChoice(choice).isOk(). Errors: no run at
// all, no such run.
Result<std::vector<RunRow>> chooseRuns(std::vector<RunRow> runs, const std::string& choice);

class Recording {
 public:
  // Opens the database and chooses the runs. REQUIRES: checkRunChoice(run_choice).isOk(). Errors: those of
  // Reader::open(), no run at all, no such run.
  static Result<Recording> open(const std::string& database, const std::string& run_choice,
                                Seconds patience = Reader::kPatience);

  // Returns the chosen runs, oldest first; there is at least one.
  const std::vector<RunRow>& runs() const { return runs_; }
  // Returns the keys of the chosen runs; those of a run are sorted by falling time in allreduce.
  const std::vector<RecordedKey>& keys() const { return keys_; }
  const Reader& reader() const { return reader_; }

  // Returns the keys of one site, chosen as findSite() says.
  Result<std::vector<RecordedKey>> keysOfSite(const std::string& site) const;
  Result<Evidence> evidence(const RecordedKey& key) const;
  // Returns "run 3 of app" or "3 runs", for messages.
  std::string describeRuns() const;

 private:
  explicit Recording(Reader reader) : reader_(std::move(reader)) {}
  Status load(const std::string& run_choice);

  Reader reader_;
  std::vector<RunRow> runs_;
  std::vector<RecordedKey> keys_;
};

}  // namespace starling::cli
