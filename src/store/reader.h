// Reads from the tuning database what the CLI shows.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "store/records.h"
#include "store/stored_run.h"

namespace starling {

struct RunRow {
  std::int64_t number = 0;  // of this database, 1, 2, ...
  Run run;
  std::optional<std::int64_t> finished;  // seconds since 1970; empty: running, or ended without MPI_Finalize
};

// A site, which all runs share.
struct SiteRow {
  std::int64_t number = 0;  // of this database
  SiteRecord site;
  bool has_keys = false;  // false: the runs that called from it were removed
};

// How much is recorded of a run.
struct RunExtent {
  std::int64_t keys = 0;
  std::int64_t records = 0;  // observations, arrivals, histograms and decisions of these keys
};

// A key of one run with the site and communicator it belongs to.
struct KeyRow {
  std::int64_t number = 0;       // of the key in this database
  std::int64_t site_number = 0;  // of the site: the same in all runs
  SiteRecord site;
  CommunicatorRecord communicator;
  KeyRecord key;
};

// THREADS: one thread at a time. The file is opened read-only and never written: a file of an older schema stays as it
// is, and what that schema does not record is empty in the records.
class Reader {
 public:
  // Waits so long for a writer, in all that is read. Errors: no such file, not a Starling database, a schema newer than
  // this program, a writer that kept it locked; each says how to mend it.
  static Result<Reader> open(const std::string& path, Seconds patience = kPatience);
  static constexpr Seconds kPatience{5.0};
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  // Returns all runs, oldest first.
  Result<std::vector<RunRow>> runs() const;
  // Returns the run with this id; empty: there is none.
  Result<std::optional<RunRow>> run(const std::string& id) const;
  // Returns the keys of one run, by falling `seconds`.
  Result<std::vector<KeyRow>> keys(std::int64_t run_number) const;
  // Returns all sites, by number.
  Result<std::vector<SiteRow>> sites() const;
  // Count what is recorded of one run, or of these sites in it.
  Result<RunExtent> extent(std::int64_t run_number) const;
  Result<RunExtent> extent(std::int64_t run_number, std::span<const std::int64_t> sites) const;
  // These return the records of one key, oldest first.
  Result<std::vector<ObservationRecord>> observations(std::int64_t key_number) const;
  Result<std::vector<ArrivalRecord>> arrivals(std::int64_t key_number) const;
  Result<std::vector<HistogramRecord>> histograms(std::int64_t key_number) const;
  Result<std::vector<DecisionRecord>> decisions(std::int64_t key_number) const;
  // Returns how many calls each key of a run made.
  Result<CallsOfKeys> calls(std::int64_t run_number) const;
  // Returns all that is recorded of a run but policies, as it was at one moment.
  Result<StoredRun> wholeRun(const RunRow& run) const;
  // Returns the policies of all programs and environments; a row that checkPolicy() refuses is an error.
  Result<std::vector<StoredPolicy>> allPolicies() const;
  // Returns what later runs start from: the policies of one run's environment and program.
  Result<std::vector<PolicyRecord>> policies(std::int64_t run_number) const;
  // Likewise, those of the latest run first.
  Result<std::vector<PolicyRecord>> policies(const Environment& environment, const std::string& program) const;

 private:
  struct Connection;
  explicit Reader(std::unique_ptr<Connection> connection);
  // Like wholeRun(), but where `is_in_pieces` others may write between two keys.
  Result<StoredRun> readRun(const RunRow& row, bool is_in_pieces) const;
  std::unique_ptr<Connection> connection_;
};

}  // namespace starling
