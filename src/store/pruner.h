// Removes records from the tuning database, and gives the space back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace starling {

// Works beside running jobs: each transaction is short, and others come between two of them, so that their writers wait
// for less than they are patient.
// THREADS: one thread at a time.
class Pruner {
 public:
  // Opens the file and migrates an older schema forward. REQUIRES: the file is there.
  static Result<Pruner> open(const std::string& path);
  ~Pruner();
  Pruner(Pruner&&) noexcept;
  Pruner& operator=(Pruner&&) noexcept;

  // Removes runs with all that is recorded of them; policies that they learned stay.
  Status removeRuns(std::span<const std::int64_t> runs);
  // Removes the keys of these sites in these runs, with all that is recorded of them; runs and sites stay.
  Status removeSites(std::span<const std::int64_t> sites, std::span<const std::int64_t> runs);
  // Removes the policy rows of these numbers.
  Status removePolicies(std::span<const std::int64_t> numbers);
  // Joins all old epochs of all keys that are due (history.h): of keys that no run writes to any more, nobody else
  // does.
  Status thin();
  // Rewrites the file without free pages. It takes the file for itself meanwhile, and as much space again.
  Status compact();

 private:
  struct Connection;
  explicit Pruner(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace starling
