// A broadcast of many blocks in the fewest rounds: in each, every index sends one block and receives another.
#pragma once

#include <cstdint>
#include <vector>

namespace starling {

// K blocks from index 0 to all P indices in K - 1 + ceil(log2 P) rounds. Rounds come in phases of roundsPerPhase(); in
// round j of a phase index i sends to i + skip(j) and receives from i - skip(j), modulo P. Blocks are counted so that
// the next phase handles the same ones plus roundsPerPhase().
// Source: Traff 2024, "Optimal broadcast schedules in logarithmic time" (arXiv 2407.18004).
// Time and memory of one index: O(log^2 P).
class BroadcastRounds {
 public:
  // REQUIRES: indices >= 2.
  explicit BroadcastRounds(std::int32_t indices);

  std::int32_t roundsPerPhase() const { return static_cast<std::int32_t>(skips_.size()) - 1; }
  std::int32_t skip(std::int32_t round) const { return skips_[static_cast<std::size_t>(round)]; }

  // By round of the first phase: the block that the index receives, sends. One below 0 is of the phase before. What
  // index 0 "receives", and what is sent to it, it has already.
  std::vector<std::int32_t> receives(std::int32_t index) const;
  std::vector<std::int32_t> sends(std::int32_t index) const;

 private:
  std::int32_t indices_;
  std::vector<std::int32_t> skips_;  // rising; the last is indices_
};

}  // namespace starling
