// Predicts what algorithms take in one call, by the simulator.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algos/catalogue.h"
#include "base/units.h"
#include "simulator/fewer_ranks.h"
#include "simulator/simulator.h"
#include "tuner/unpredicted_arrivals.h"

namespace starling {

struct CandidateQuery {
  Shape shape;
  Bytes element_size;
  CostModel model;
  std::vector<std::int64_t> lateness_ns;  // by virtual rank; empty = all on time
  bool reproducible = false;              // only rows of the one fixed association
  UnpredictedArrivals unpredicted{};      // where `lateness_ns` is empty
  bool arrivals_are_known = true;         // where both are empty all are on time
  Topology topology{};                    // by virtual rank; takes the place of the shape's
};

// Says how well a time must be known: of more than `limit` only that it is, and of more than `roughly_from` roughly, as
// CallToPredict says it.
struct Precision {
  Seconds limit{HUGE_VAL};
  Seconds roughly_from{HUGE_VAL};
};

// Predicts what choices take in one call. Simulations use the same memory, one after the other.
// THREADS: not thread-safe.
class CallPredictor {
 public:
  // The query must outlive this.
  explicit CallPredictor(const CandidateQuery& query);

  CallPredictor(const CallPredictor&) = delete;
  CallPredictor& operator=(const CallPredictor&) = delete;

  const CandidateQuery& query() const { return query_; }

  // Tells whether the call itself is simulated; else what is simulated is that of fewer ranks, and so bounded already.
  bool isSimulated() const { return !sample_; }

  // Refers to this object.
  Shape shape() const;

  // Returns the post-arrival time, as well as the precision wants it. What chunks hide is left out: they are taken
  // where they are worth it by a closed form.
  Seconds predict(Choice choice, const Precision& precision) const;

 private:
  CallToPredict callOf(const Choice& choice, const Precision& precision) const;

  const CandidateQuery& query_;
  const NodeSizes sizes_;
  const std::vector<Seconds> arrivals_;
  std::optional<RankSample> sample_;
  std::unique_ptr<std::byte[]> scratch_;
};

// Returns the predicted post-arrival time of one choice; 0 for native.
Seconds predictPostArrival(const CandidateQuery& query, const Choice& choice);

}  // namespace starling
