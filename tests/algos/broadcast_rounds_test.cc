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
  Broadcast(std::int32_t indices, std::int32_t blocks) : blocks_(blocks), held_(indices) {
    BroadcastRounds rounds(indices);
    for (std::int32_t index = 0; index < indices; ++index) rounds_.push_back(rounds.roundsOf(index, blocks));
    for (std::int32_t block = 0; block < blocks; ++block) held_[0].insert(block);
  }

  std::string run() {
    for (std::size_t number = 0; number < rounds_[0].size(); ++number) {
      const std::string fault = runRound(number);
      if (!fault.empty()) return fault;
    }
    for (const std::set<std::int32_t>& held : held_) {
      if (std::ssize(held) != blocks_) return "a block is missing at the end";
    }
    return "";
  }

 private:
  std::string runRound(std::size_t number) {
    std::vector<std::pair<std::size_t, std::int32_t>> arrived;
    for (std::size_t receiver = 1; receiver < held_.size(); ++receiver) {
      const BroadcastRound& round = rounds_[receiver][number];
      if (round.received < 0) continue;
      const auto sender = static_cast<std::size_t>(round.source);
      const BroadcastRound& sent = rounds_[sender][number];
      if (sent.sent != round.received) return "sender and receiver speak of different blocks";
      if (sent.target != static_cast<std::int32_t>(receiver)) return "the sender sends to another";
      if (sender == 0 && sent.sent != sent.rooted) return "the root sends another block than is said";
      if (!held_[sender].contains(round.received)) return "a block is sent before it is there";
      if (held_[receiver].contains(round.received)) return "a block comes twice";
      arrived.emplace_back(receiver, round.received);
    }
    for (const auto& [receiver, block] : arrived) held_[receiver].insert(block);
    return "";
  }

  const std::int32_t blocks_;
  std::vector<std::set<std::int32_t>> held_;              // blocks, by index
  std::vector<std::pmr::vector<BroadcastRound>> rounds_;  // by index
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

TEST(BroadcastRounds, areTheSameWhoeverWasAskedForBefore) {
  constexpr std::int32_t kIndices = 23;
  constexpr std::int32_t kBlocks = 7;
  BroadcastRounds of_all(kIndices);
  const auto received = [](const std::pmr::vector<BroadcastRound>& rounds) {
    std::vector<std::pair<std::int32_t, std::int32_t>> blocks;
    for (const BroadcastRound& round : rounds) blocks.emplace_back(round.received, round.sent);
    return blocks;
  };
  for (const std::int32_t index : {5, 22, 0, 5, 13, 1, 22, 9}) {
    EXPECT_EQ(received(of_all.roundsOf(index, kBlocks)), received(BroadcastRounds(kIndices).roundsOf(index, kBlocks)))
        << index;
  }
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
