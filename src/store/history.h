// Keeps the history of a key short: it grows with the logarithm of the epochs, however long a run is.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "store/sqlite.h"

namespace starling {

// The latest epochs of a key stay as they were recorded, at least kEpochsKept of them. As soon as there are twice as
// many, the older ones are joined by kEpochsJoined; of these joined records again the latest kEpochsKept stay, and the
// older ones are joined by as many, and so on. So the records of n epochs are at most 2 kEpochsKept for each power of
// kEpochsJoined in n. Figures stay exact (see joined_records.h): what is lost is when, within the joined epochs, they
// were taken.
inline constexpr std::int64_t kEpochsKept = 32;
inline constexpr std::int64_t kEpochsJoined = 4;
// Decisions cannot be joined. So many of a key stay, the latest.
inline constexpr std::int64_t kDecisionsKept = 128;

// Thins the history of keys. REQUIRES: a transaction is open; after an error the caller rolls it back.
// THREADS: one.
class History {
 public:
  explicit History(const sqlite::Connection& connection);

  // Joins what is due of a key, but makes at most `most` records of joined epochs; returns how many it made.
  Result<std::int64_t> thin(std::int64_t key, std::int64_t most);
  // Removes the decisions of a key that are too many.
  Status thinDecisions(std::int64_t key);

 private:
  Result<std::int64_t> thinObservations(std::int64_t key, std::int64_t most);
  Result<std::int64_t> thinArrivals(std::int64_t key, std::int64_t most);
  Status joinArrivals(std::int64_t key, std::int64_t first_epoch, std::int64_t last_epoch);

  // Puts what is joined of so many of a table's rows at a time in the place of the newest, and removes the others.
  struct Joiner {
    sqlite::Statement update;
    sqlite::Statement removal;
  };

  const sqlite::Connection& connection_;
  sqlite::Statement crowded_observations_;
  sqlite::Statement crowded_histograms_;
  sqlite::Statement oldest_observations_;
  sqlite::Statement oldest_histograms_;
  sqlite::Statement arrivals_between_;
  sqlite::Statement remove_arrivals_;
  sqlite::Statement insert_arrival_;
  Joiner observations_;
  Joiner histograms_;
};

}  // namespace starling
