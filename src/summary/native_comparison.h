// Finds out what the calls of a run's keys took beside what native would have.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/status.h"
#include "store/reader.h"
#include "summary/run_summary.h"

namespace starling {

// THREADS: not thread-safe; one per run.
class NativeComparison {
 public:
  // Both outlive it.
  NativeComparison(const Reader& reader, const std::vector<KeyRow>& keys) : reader_(reader), keys_(keys) {}

  // Sets what the calls of the key, one of the run's, saved beside native, and what its trials took beyond that; leaves
  // empty what is not known. Where native was not called in them what other keys know holds them together. Errors: the
  // database cannot be read.
  Status compare(std::span<const ObservationRecord> observations, KeySummary& summary);

 private:
  using Kind = std::tuple<std::int32_t, std::int32_t, std::string, std::string>;
  static Kind kindOf(const KeyRow& key);
  Result<std::optional<double>> mostInCallsLike(const KeyRow& key);

  const Reader& reader_;
  const std::vector<KeyRow>& keys_;
  std::optional<std::map<Kind, std::optional<double>>> most_;  // of native, in an epoch; read when it is asked first
};

}  // namespace starling
