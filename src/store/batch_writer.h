// Writes a batch into the tables.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "store/records.h"
#include "store/run_rows.h"
#include "store/sqlite.h"

namespace starling {

// Writes one batch, and joins what has become old of the keys that it names (history.h), in a step as bounded as the
// batch is. A record that is written twice replaces itself, so a batch may be repeated after a fault.
// REQUIRES: a transaction is open while it works; after an error the caller rolls it back.
// THREADS: one.
class BatchWriter {
 public:
  BatchWriter(const sqlite::Connection& connection, const RunNumbers& run) : connection_(connection), run_(run) {}

  Status write(const Batch& batch);

 private:
  Status writeCommunicators(const Batch& batch);
  Status writeSites(const Batch& batch);
  Status writeKeys(const Batch& batch);
  Status writeObservations(const Batch& batch);
  Status writeArrivals(const Batch& batch);
  Status writeHistograms(const Batch& batch);
  Status writeDecisions(const Batch& batch);
  Status writePolicies(const Batch& batch);
  Status thinHistory(const Batch& batch);
  // Writes records that belong to a key.
  template <typename Record>
  Status writeOwned(const char* table, const std::vector<Record>& records);

  // Returns the key's number. Where it has no row yet, one is made: observations may come before the key's first state.
  Result<std::int64_t> numberOf(const KeyId& id);
  Result<std::int64_t> insertKey(const KeyId& id);

  const sqlite::Connection& connection_;
  const RunNumbers& run_;
  std::map<KeyId, std::int64_t> numbers_;
};

}  // namespace starling
