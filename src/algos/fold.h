// Folds any number of ranks to a power of two.
#pragma once

#include <cstdint>

#include "schedule/schedule_writer.h"

namespace starling {

// The first 2 * (ranks - power) ranks fold in adjacent pairs: the even one hands its input to the odd one and waits for
// the result. Pairs are adjacent so that what a member holds is always the combination of consecutive ranks.
// Source: Thakur, Rabenseifner, Gropp 2005, as in MPICH.
class Fold {
 public:
  static constexpr std::int32_t kFoldedAway = -1;

  explicit Fold(std::int32_t ranks);

  // Returns how many ranks remain: the largest power of two not above the number of ranks.
  std::int32_t power() const { return power_; }
  // Returns the position of a rank among those that remain, or kFoldedAway.
  std::int32_t positionOf(std::int32_t rank) const;
  // Returns the rank at a position, as the inverse of positionOf().
  std::int32_t rankAt(std::int32_t position) const;
  // Returns whether the rank hands its input to a neighbour, or has that of one.
  bool isInPair(std::int32_t rank) const { return rank < 2 * folded_; }

  // These write the steps before and after the power-of-two part, for `block`.
  void writeFolding(ScheduleWriter& writer, std::int32_t rank, const Block& block, std::int32_t tag) const;
  void writeUnfolding(ScheduleWriter& writer, std::int32_t rank, const Block& block, std::int32_t tag) const;

 private:
  std::int32_t power_ = 1;
  std::int32_t folded_ = 0;  // ranks folded away
};

}  // namespace starling
