// Calls whose candidates are ranked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tuner/candidates.h"

namespace starling {

inline constexpr CostModel kModel{.alpha = {2e-6}, .beta = 1e-9, .gamma = 1e-10, .ports = 1, .overhead = {1e-6}};
inline CandidateQuery queryOf(std::int32_t ranks, std::int64_t count, bool commutative = true) {
  return {.shape = {.ranks = ranks, .count = count, .commutative = commutative},
          .element_size = Bytes{8},
          .model = kModel,
          .lateness_ns = {}};
}

// The last virtual rank comes that much after the others.
inline CandidateQuery lateQuery(std::int32_t ranks, std::int64_t count, std::int64_t lateness_ns) {
  CandidateQuery query = queryOf(ranks, count);
  query.lateness_ns.assign(static_cast<std::size_t>(ranks), 0);
  query.lateness_ns.back() = lateness_ns;
  return query;
}

inline std::string nameOf(const Candidate& candidate) { return findAlgorithm(candidate.choice.algorithm)->name; }

}  // namespace starling
