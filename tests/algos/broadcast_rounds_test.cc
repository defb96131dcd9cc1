#include "algos/broadcast_rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace starling {
namespace {

// Runs the rounds of `blocks` blocks, and says what goes wrong first; empty when nothing does.
class Broadcast {
 public:
  Broadcast(std::int32_t indices, std::int32_t blocks) : rounds_(indices), blocks_(blocks), held_(indices) {
    for (std::int32_t index = 0; index < indices; ++index) {
      receives_.push_back(rounds_.receives(index));
      sends_.push_back(rounds_.sends(index));
    }
    for (std::int32_t block = 0; block < blocks; ++block) held_[0].insert(block);
  }

  std::string run() {
    const std::int32_t per_phase = rounds_.roundsPerPhase();
    const std::int32_t skipped = (per_phase - (blocks_ - 1) % per_phase) % per_phase;
    for (std::int32_t round = skipped; round < skipped + blocks_ - 1 + per_phase; ++round) {
      const std::string fault = runRound(round % per_phase, round - round % per_phase - skipped);
      if (!fault.empty()) return fault;
    }
    for (const std::set<std::int32_t>& held : held_) {
      if (std::ssize(held) != blocks_) return "a block is missing at the end";
    }
    return "";
  }

 private:
  std::string runRound(std::int32_t j, std::int32_t phase) {
    std::vector<std::pair<std::size_t, std::int32_t>> arrived;
    const auto indices = static_cast<std::int32_t>(held_.size());
    for (std::int32_t index = 1; index < indices; ++index) {
      const auto receiver = static_cast<std::size_t>(index);
      const auto sender = static_cast<std::size_t>((index - rounds_.skip(j) + indices) % indices);
      const std::int32_t block = std::min(receives_[receiver][static_cast<std::size_t>(j)] + phase, blocks_ - 1);
      if (block < 0) continue;
      const std::int32_t sent = std::min(sends_[sender][static_cast<std::size_t>(j)] + phase, blocks_ - 1);
      if (sent != block) return "sender and receiver speak of different blocks";
      if (!held_[sender].contains(block)) return "a block is sent before it is there";
      if (held_[receiver].contains(block)) return "a block comes twice";
      arrived.emplace_back(receiver, block);
    }
    for (const auto& [receiver, block] : arrived) held_[receiver].insert(block);
    return "";
  }

  const BroadcastRounds rounds_;
  const std::int32_t blocks_;
  std::vector<std::set<std::int32_t>> held_;  // blocks, by index
  std::vector<std::vector<std::int32_t>> receives_;
  std::vector<std::vector<std::int32_t>> sends_;
};

TEST(BroadcastRounds, bringEveryBlockToEveryIndexOnceInTheFewestRounds) {
  for (std::int32_t indices = 2; indices <= 140; ++indices) {
    const std::int32_t rounds = BroadcastRounds(indices).roundsPerPhase();
    for (const std::int32_t blocks : {1, 2, rounds, rounds + 1, 3 * rounds + 1}) {
      EXPECT_EQ(Broadcast(indices, blocks).run(), "") << indices << " indices, " << blocks << " blocks";
    }
  }
  EXPECT_EQ(Broadcast(1024, 25).run(), "");
}

TEST(BroadcastRounds, areAsManyInAPhaseAsTheLogarithm) {
  EXPECT_EQ(BroadcastRounds(2).roundsPerPhase(), 1);
  EXPECT_EQ(BroadcastRounds(3).roundsPerPhase(), 2);
  EXPECT_EQ(BroadcastRounds(48).roundsPerPhase(), 6);
  EXPECT_EQ(BroadcastRounds(1024).roundsPerPhase(), 10);
  EXPECT_EQ(BroadcastRounds(1025).roundsPerPhase(), 11);
}

}  // namespace
}  // namespace starling
