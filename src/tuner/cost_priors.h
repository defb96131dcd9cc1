// What the keys of a process have learned of algorithms, for keys that begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algos/catalogue.h"
#include "tuner/placement.h"

namespace starling {

// An algorithm was found to cost more than was predicted: its logarithm is higher by `off`, but for an error.
struct CostResidual {
  std::int32_t algorithm = 0;
  double off = 0.0;
  double deviation = 0.0;
};

// Residuals of shapes: of so many ranks, and of vectors of one size class. THREADS: not thread-safe.
class CostPriors {
 public:
  static constexpr std::size_t kMaxShapes = 64;
  static constexpr std::int32_t kNeighbours = 2;  // size classes in which models are wrong alike

  // What a key runs, and how its ranks are arranged.
  struct Arranged {
    Choice choice;
    std::vector<PlacedRank> placed;
  };
  // Takes what a key has learned, and what it runs, in place of what was known of its shape. The shape that was learned
  // of least lately gives way where there are too many.
  void learn(std::int32_t ranks, std::int32_t size_class, std::span<const CostResidual> residuals, Arranged runs);

  // Returns what the latest such key of the very shape runs; null: there is none.
  const Arranged* findChoice(std::int32_t ranks, std::int32_t size_class) const;

  // Returns what is known of the shape, or of the one with as many ranks and the nearest size class, at most
  // kNeighbours away; empty: nothing. `distance` is told how far away that is.
  std::span<const CostResidual> find(std::int32_t ranks, std::int32_t size_class, std::int32_t& distance) const;

 private:
  struct Shape {
    std::int32_t ranks = 0;
    std::int32_t size_class = 0;
    std::vector<CostResidual> residuals;
    Arranged runs;
  };
  std::vector<Shape> shapes_;  // the latest last
};

}  // namespace starling
