// Removes records from the tuning database, and gives the space back.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "store/stored_run.h"

namespace starling {

// Says how the pruner shares the file with others.
struct PrunePace {
  std::chrono::milliseconds step{100};  // about so long is a transaction
  std::chrono::milliseconds pause{25};  // before the next: who waits for the lock looks every 20 ms (sqlite.cc)
};

// Works beside running jobs: each transaction is short, and others come between two of them, so that their writers wait
// for less than they are patient.
// THREADS: one thread at a time.
class Pruner {
 public:
  // Opens the file and migrates an older schema forward. REQUIRES: the file is there.
  static Result<Pruner> open(const std::string& path, const PrunePace& pace = {});
  ~Pruner();
  Pruner(Pruner&&) noexcept;
  Pruner& operator=(Pruner&&) noexcept;

  // Removes runs with all that is recorded of them; policies that they learned stay, and are of no run from then on.
  // Where it is stopped, what is left of a run has fewer calls than the run had, and can be removed likewise.
  Status removeRuns(std::span<const std::int64_t> runs);
  // Removes the keys of these sites in these runs, with all that is recorded of them; runs and sites stay.
  Status removeSites(std::span<const std::int64_t> sites, std::span<const std::int64_t> runs);
  // Removes those of these policies that are still what the same run learned, or of no run: a job may have renewed
  // others since they were read.
  Status removePolicies(std::span<const StoredPolicy> policies);
  // Joins all old epochs of all keys that are due (history.h): of keys that no run writes to any more, nobody else
  // does.
  Status thin();
  // Rewrites the file without free pages. It takes the file for itself meanwhile, and as much space again.
  Status compact();

 private:
  struct Connection;
  class Removal;
  explicit Pruner(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace starling
