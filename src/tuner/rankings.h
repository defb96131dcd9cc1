// Remembers how algorithms were ranked, since keys ask the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "tuner/candidates.h"

namespace starling {

// Latenesses are rounded to a sixteenth of their size first: no prediction is as good as that. THREADS: not
// thread-safe.
class Rankings {
 public:
  static constexpr std::size_t kMaxRankings = 32;

  // Returns all algorithms, as rankCandidates() does, where latenesses are rounded. It takes milliseconds.
  static std::vector<Candidate> rank(const CandidateQuery& query);
  // Returns how long that takes as a rule, of one core (docs/cost-model.md).
  static constexpr Seconds usualTime(std::int32_t ranks) { return std::min(ranks * kTimeOfRank, kTimeOfMany); }
  // Returns what was inserted for the query; empty: nothing, or it was forgotten.
  std::optional<std::vector<Candidate>> find(const CandidateQuery& query);
  // What was not asked for lately gives way.
  void insert(const CandidateQuery& query, std::vector<Candidate> candidates);

 private:
  static constexpr Seconds kTimeOfRank{180e-6};
  static constexpr Seconds kTimeOfMany{2.5e-3};  // of which only some are simulated
  struct Ranking {
    std::uint64_t question = 0;
    std::vector<Candidate> candidates;
  };
  std::vector<Ranking> rankings_;  // the one that was asked for last comes last
};

}  // namespace starling
