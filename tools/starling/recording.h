// What the database recorded of the runs that a command asks for.
#pragma once

#include <cstdint>
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

  // Number of the site, the same in all runs.
  std::int64_t siteNumber() const { return row.site_number; }
  std::string where() const;
};

// All that is known of one key.
struct Evidence {
  RecordedKey key;
  std::vector<ObservationRecord> observations;
  std::vector<ArrivalRecord> arrivals;
  std::vector<DecisionRecord> decisions;
};

// "latest", "all" or the number of a run. Status::ok(), or what a run can be given as.
Status checkRunChoice(const std::string& text);

class Recording {
 public:
  // Opens the database and chooses the runs. REQUIRES: checkRunChoice(run_choice).isOk(). Errors: those of
  // Reader::open(), no run at all, no such run.
  static Result<Recording> open(const std::string& database, const std::string& run_choice);

  // Oldest first, at least one.
  const std::vector<RunRow>& runs() const { return runs_; }
  // Of the chosen runs; within a run by falling time in allreduce.
  const std::vector<RecordedKey>& keys() const { return keys_; }
  const Reader& reader() const { return reader_; }

  // Keys of one site, chosen as findSite() says.
  Result<std::vector<RecordedKey>> keysOfSite(const std::string& site) const;
  Result<Evidence> evidence(const RecordedKey& key) const;
  // "run 3 of app" or "3 runs", for messages.
  std::string describeRuns() const;

 private:
  explicit Recording(Reader reader) : reader_(std::move(reader)) {}
  Status load(const std::string& run_choice);

  Reader reader_;
  std::vector<RunRow> runs_;
  std::vector<RecordedKey> keys_;
};

}  // namespace starling::cli
