// Keeps keys that are alike from trying the same algorithm for the first time all at once, and tells each what others
// found.
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/cost_priors.h"
#include "tuner/key_shape.h"

namespace starling {

// A model that is wrong about an algorithm is wrong for all keys of a shape: of as many ranks, and of vectors of about
// the same size. So one of them tries it first, and the others wait for what it finds, or for some rounds of decisions.
// THREADS: not thread-safe.
class FirstTrials {
 public:
  static constexpr std::size_t kMaxKept = 256;   // of what was found, or is under way; the oldest gives way
  static constexpr std::size_t kMaxShapes = 64;  // of which it is counted how often native was seen, likewise

  // Names a key that takes part.
  std::int64_t enter() { return ++keys_; }

  // Notes that the ranks of a communicator decide once more.
  void noteDecision(std::int64_t communicator);
  // Notes that a key of the shape is about to try the row first, which may cost it so many calls of what it runs.
  void begin(const KeyShape& shape, const RowForm& row, double excess);
  // Notes what it cost the key.
  void tell(std::int64_t key, const KeyShape& shape, const CostResidual& found);

  // Notes that a key of the shape has seen what native takes, and counts how often any has.
  void noteNative(const KeyShape& shape);
  std::int32_t nativeSeen(const KeyShape& shape) const;
  // Returns whether a key of the very shape has tried anything, or is about to, so lately that it is kept.
  bool areKnown(const KeyShape& shape) const;
  // Returns whether a key of the shape, or at most CostPriors::kNeighbours size classes away, is about to try the
  // row.
  bool isUnderWay(const KeyShape& shape, const RowForm& row) const;
  // Returns what all trials may cost together that such keys are about to make.
  double excessUnderWay(const KeyShape& shape) const;
  // What was found by keys of a shape that is so many size classes away.
  struct Finding {
    CostResidual residual;
    std::int32_t distance = 0;
  };
  // Returns what other keys have found in the latest rounds, at most CostPriors::kNeighbours size classes away: the
  // nearest first.
  std::vector<Finding> findings(std::int64_t key, const KeyShape& shape) const;

 private:
  // Time goes by in rounds: one is over when a communicator decides that has decided in it, so that communicators that
  // take turns wait for each other as long as each would for itself. No more of them than this are told apart.
  static constexpr std::size_t kMostInRound = 64;
  // So many rounds after it was planned a trial has been seen, or is not waited for any more.
  static constexpr std::int64_t kRoundsToWait = 4;
  // What was found so long ago may no longer hold.
  static constexpr std::int64_t kRoundsToHear = 16;

  struct Trial {
    KeyShape shape;
    CostResidual found;
    std::int64_t since = 0;  // round
    std::int64_t finder = 0;
    double excess = 0.0;
    bool is_under_way = false;
    bool is_found = false;
  };
  bool isUnderWay(const Trial& trial, const KeyShape& shape) const;
  Trial& trialOf(const KeyShape& shape, const RowForm& row);

  struct Native {
    KeyShape shape;
    std::int32_t calls = 0;
  };
  std::vector<Native> natives_;        // the latest last
  std::vector<Trial> trials_;          // likewise
  std::vector<std::int64_t> decided_;  // communicators, in the round
  std::int64_t now_ = 0;               // rounds so far
  std::int64_t keys_ = 0;
};

}  // namespace starling
