// The tuning database. Only sqlite.cc includes sqlite3.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "store/records.h"

namespace starling {

struct PolicyDocument;
struct StoredPolicy;
struct StoredRun;

// Tells what became of a record of another database.
enum class Merged {
  kAdded,    // it was not here
  kRenewed,  // it took the place of ours
  kKept,     // ours stays
};

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

  // Take in a run, or a policy, of another database, all of it or none. A run that is here already is renewed where
  // more of its calls are known there, or it has finished there and not here. A policy takes the place of ours where
  // the run that learned it started later: where the run of either is not known, ours stays. So a second time changes
  // nothing. A policy whose run is not here belongs to none. REQUIRES: checkRun() or checkPolicy() found no fault.
  Result<Merged> mergeRun(const StoredRun& theirs);
  Result<Merged> mergePolicy(const StoredPolicy& theirs);
  // Tells what mergeRun() would do with a run of so many calls, those of all keys together: most runs of a file that is
  // merged again stay as they are, and need not be read.
  Result<Merged> compareRun(const std::string& run_id, std::int64_t calls, bool has_finished);

  // Keeps the document's policies for its environment and program, in place of any of the same keys: all of them or
  // none.
  Status importPolicies(const PolicyDocument& document);

 private:
  struct Connection;
  explicit Database(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace starling
