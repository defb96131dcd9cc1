// The tuning database. Only sqlite.cc includes sqlite3.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "store/records.h"
#include "store/stored_run.h"

namespace starling {

struct PolicyDocument;

// The writer's side. Jobs share a file, so every write is one short immediate transaction with a rollback journal (WAL
// does not work on network file systems) and bounded waiting for locks. Nothing is ever overwritten in a file that is
// not a Starling database of a known version.
// THREADS: one thread at a time.
class Database {
 public:
  // Creates file, folders and schema where missing; migrates an older schema forward. `patience` bounds the wait for
  // another process's lock, here and in each later call.
  static Result<Database> open(const std::string& path, Seconds patience = Seconds{5.0});
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  Status beginRun(const Run& run);
  // Writes all of the batch or nothing. REQUIRES: beginRun() succeeded.
  Status write(const std::string& run_id, const Batch& batch);
  // `lasted` is the time from MPI_Init to MPI_Finalize; empty: it is not known.
  Status finishRun(const std::string& run_id, const std::optional<Seconds>& lasted = {},
                   const BesideKeys& beside_keys = {});

  // Returns the policies learned (or imported) for this environment and program, those of the latest run first;
  // imported ones whose site is "any" come last.
  Result<std::vector<PolicyRecord>> policies(const Environment& environment, const std::string& program);

  // Take in a run, or a policy, of another database, all of it or none, as merger.h says. REQUIRES: checkRun() or
  // checkPolicy() found no fault.
  Result<Merged> mergeRun(const StoredRun& theirs);
  Result<Merged> mergePolicy(const StoredPolicy& theirs);
  // Tells what mergeRun() would do with a run whose keys made so many calls: most runs of a file that is merged again
  // stay as they are, and need not be read.
  Result<Merged> compareRun(const std::string& run_id, const CallsOfKeys& calls, bool has_finished);

  // Keeps the document's policies for its environment and program, in place of any of the same keys: all of them or
  // none.
  Status importPolicies(const PolicyDocument& document);

 private:
  struct Connection;
  template <typename Take>
  Result<Merged> inTransaction(const char* action, const Take& take);
  explicit Database(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace starling
