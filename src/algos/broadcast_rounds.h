// Broadcasts many blocks in the fewest rounds: in each, every index sends one block and receives another.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <vector>

namespace starling {

// Tells what one index does in one round. A block below 0 stands for none.
struct BroadcastRound {
  std::int32_t skip = 0;  // the round's: from the sender's index to the receiver's
  std::int32_t sent = -1;
  std::int32_t target = 0;  // index; nothing is sent to index 0, which has all
  std::int32_t received = -1;
  std::int32_t source = 0;
  std::int32_t rooted = -1;       // the block that index 0 sends in this round
  bool is_in_last_phase = false;  // in all of whose rounds that is the last block
};

// Brings K blocks from index 0 to all P indices in K - 1 + ceil(log2 P) rounds. Rounds come in phases of
// roundsPerPhase(), the last of which handles the last block in the root; round j of a phase has skip(j), modulo P.
// Source: Traff 2024, "Optimal broadcast schedules in logarithmic time" (arXiv 2407.18004).
// Time and memory of one index: O(log^2 P) and its rounds; of all, one after the other, O(P log^2 P) and O(P log P).
// THREADS: not thread-safe.
class BroadcastRounds {
 public:
  // REQUIRES: indices >= 2.
  explicit BroadcastRounds(std::int32_t indices, std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // Returns what the index does, round by round. REQUIRES: 0 <= index < indices, blocks >= 1.
  std::pmr::vector<BroadcastRound> roundsOf(std::int32_t index, std::int32_t blocks);

  // Returns how many bytes the first roundsOf() and its result take at most.
  static std::int64_t bytesFor(std::int32_t indices, std::int64_t blocks);

  std::int32_t roundsPerPhase() const { return static_cast<std::int32_t>(skips_.size()) - 1; }

 private:
  // These return, by round of the first phase, the block that the index receives, and the one that it sends. One below
  // 0 is of the phase before.
  const std::pmr::vector<std::int32_t>& receives(std::int32_t index);
  std::pmr::vector<std::int32_t> sends(std::int32_t index);

  std::int32_t indices_;
  std::pmr::vector<std::int32_t> skips_;                                  // rising; the last is indices_
  std::pmr::map<std::int32_t, std::pmr::vector<std::int32_t>> received_;  // receives() of the indices asked for so far
};

}  // namespace starling
