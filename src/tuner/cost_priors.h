// What the keys of a process have learned of algorithms, for keys that begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algos/flagged.h"
#include "tuner/key_shape.h"

namespace starling {

// A row was found to cost more than was predicted: its logarithm is higher by `off`, but for an error.
struct CostResidual {
  RowForm row;
  double off = 0.0;
  double deviation = 0.0;
};

// Residuals of shapes. THREADS: not thread-safe.
class CostPriors {
 public:
  static constexpr std::size_t kMaxShapes = 64;
  static constexpr std::int32_t kNeighbours = 2;  // size classes in which models are wrong alike

  // Takes what a key has learned in place of what was known of its shape. The shape that was learned of least lately
  // gives way where there are too many.
  void learn(const KeyShape& shape, std::span<const CostResidual> residuals);

  // Returns what is known of the shape, or of the one on such ranks with the nearest size class, at most kNeighbours
  // away; empty: nothing. `distance` is told how far away that is.
  std::span<const CostResidual> find(const KeyShape& shape, std::int32_t& distance) const;

 private:
  struct Learned {
    KeyShape shape;
    std::vector<CostResidual> residuals;
  };
  std::vector<Learned> shapes_;  // the latest last
};

}  // namespace starling
