#include "mpi/exchange/announcement_relay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace starling {
namespace {

using Ranks = std::set<int>;

constexpr int kMostRanks = 1100;
// All numbers of ranks for as long as they are few.
int numberAfter(int ranks) { return ranks < 150 ? ranks + 1 : ranks + 17; }

// All ranks of a communicator in one call, and the messages between them, which arrive in a random order. What leaves
// announce is there beforehand.
class SimulatedCall {
 public:
  SimulatedCall(int ranks, std::uint32_t seed) : random_(seed) {
    std::uniform_int_distribution<std::int64_t> announced(0, 1'000'000);
    for (int rank = 0; rank < ranks; ++rank) {
      peers_.push_back(announcementPeers(ranks, rank));
      relays_.emplace_back(ranks, peers_.back());
      announced_.emplace_back(rank, announced(random_));
      all_.add(announced_.back());
    }
    all_.dropOnTime();
    has_come_.assign(peers_.size(), false);
    told_result_.assign(peers_.size(), false);
  }

  // The rank comes to the call.
  void arrive(int rank) {
    LatestAnnouncements heard = announced_[at(rank)];
    for (const int leaf : peers_[at(rank)].leaves) heard.add(announced_[at(leaf)]);
    has_come_[at(rank)] = true;
    relays_[at(rank)].begin(heard);
    act(rank);
    // What was sent to it before waits for it.
    const auto waiting = waiting_.extract(rank);
    if (waiting.empty()) return;
    for (const LatestAnnouncements& message : waiting.mapped()) under_way_.emplace_back(rank, message);
  }

  // Delivers all that can be.
  void run() {
    while (!under_way_.empty()) {
      const std::size_t next = std::uniform_int_distribution<std::size_t>(0, under_way_.size() - 1)(random_);
      std::swap(under_way_[next], under_way_.back());
      const auto [rank, message] = under_way_.back();
      under_way_.pop_back();
      if (!has_come_[at(rank)]) {
        waiting_[rank].push_back(message);
      } else if (!relays_[at(rank)].isOver()) {
        relays_[at(rank)].hear(message);
        act(rank);
      }
    }
  }

  bool knowsAll(int rank) const { return has_come_[at(rank)] && relays_[at(rank)].known() == all_; }
  bool hasToldAll(int rank) const { return told_result_[at(rank)] && !relays_[at(rank)].tellsParent(); }
  int ranks() const { return static_cast<int>(peers_.size()); }

 private:
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

  void act(int rank) {
    AnnouncementRelay& relay = relays_[at(rank)];
    if (relay.tellsParent()) {
      under_way_.emplace_back(*peers_[at(rank)].own_parent, relay.known());
      relay.noteParentTold();
    }
    if (!relay.isOver()) return;
    told_result_[at(rank)] = true;
    for (const int child : peers_[at(rank)].results_to) under_way_.emplace_back(child, relay.known());
  }

  std::mt19937 random_;
  std::vector<AnnouncementPeers> peers_;
  std::vector<AnnouncementRelay> relays_;
  std::vector<LatestAnnouncements> announced_;
  LatestAnnouncements all_;
  std::vector<bool> has_come_;
  std::vector<bool> told_result_;
  std::vector<std::pair<int, LatestAnnouncements>> under_way_;  // to whom, what
  std::map<int, std::vector<LatestAnnouncements>> waiting_;     // for ranks that have not come
};

// Those that are not late know all while these are missing, and the late ones when they come.
void expectNobodyWaitsFor(const Ranks& late, int ranks, std::uint32_t seed) {
  SimulatedCall call(ranks, seed);
  std::string text = std::to_string(ranks) + " ranks, late:";
  for (const int rank : late) text += " " + std::to_string(rank);
  SCOPED_TRACE(text);
  for (int rank = 0; rank < ranks; ++rank) {
    if (!late.contains(rank)) call.arrive(rank);
  }
  call.run();
  int ignorant = 0;
  for (int rank = 0; rank < ranks; ++rank) ignorant += call.knowsAll(rank) || late.contains(rank) ? 0 : 1;
  EXPECT_EQ(ignorant, 0) << "wait for late ranks";
  for (const int rank : late) call.arrive(rank);
  call.run();
  for (int rank = 0; rank < ranks; ++rank) EXPECT_TRUE(call.knowsAll(rank) && call.hasToldAll(rank)) << rank;
}

std::vector<int> innerRanks(int ranks) {
  std::vector<int> inner;
  for (int rank = 0; rank < ranks; ++rank) {
    if (!announcementPeers(ranks, rank).results_to.empty()) inner.push_back(rank);
  }
  return inner;
}

TEST(AnnouncementRelay, letsAllRanksKnowAllThatWasAnnounced) {
  for (int ranks = 1; ranks <= kMostRanks; ranks = numberAfter(ranks)) expectNobodyWaitsFor({}, ranks, 1);
}

TEST(AnnouncementRelay, needsNoSingleRank) {
  for (const int ranks : {2, 15, 16, 17, 18, 20, 33, 64, 100, 257}) {
    for (int late = 0; late < ranks; ++late) expectNobodyWaitsFor({late}, ranks, 2);
  }
  // Of larger numbers one that somebody depends on, another one each time.
  for (int ranks = 17; ranks <= kMostRanks; ranks = numberAfter(ranks)) {
    const std::vector<int> inner = innerRanks(ranks);
    expectNobodyWaitsFor({inner[static_cast<std::size_t>(ranks) % inner.size()]}, ranks, 3);
  }
}

TEST(AnnouncementRelay, needsNoThreeRanks) {
  std::mt19937 random(4);
  for (const int ranks : {17, 20, 31, 64, 128, 300, 1024}) {
    const std::vector<int> inner = innerRanks(ranks);
    std::uniform_int_distribution<std::size_t> any(0, inner.size() - 1);
    for (std::uint32_t i = 0; i < 50; ++i) {
      expectNobodyWaitsFor({inner[any(random)], inner[any(random)], inner[any(random)]}, ranks, i);
    }
  }
}

TEST(AnnouncementRelay, needsNoneOfManyNeighbours) {
  expectNobodyWaitsFor({0, 1, 2, 3, 4, 5, 6, 7}, 256, 6);
  expectNobodyWaitsFor({60, 61, 62, 63, 64, 65, 66, 67}, 256, 7);
}

// More than three ranks may keep the others waiting, but only until they come.
TEST(AnnouncementRelay, endsWhoeverIsLate) {
  std::mt19937 random(8);
  for (int i = 0; i < 200; ++i) {
    const int ranks = std::uniform_int_distribution<int>(17, 300)(random);
    SimulatedCall call(ranks, static_cast<std::uint32_t>(i));
    std::vector<int> order;
    for (int rank = 0; rank < ranks; ++rank) order.push_back(rank);
    std::shuffle(order.begin(), order.end(), random);
    for (const int rank : order) {
      call.arrive(rank);
      if (rank % 3 == 0) call.run();
    }
    call.run();
    for (int rank = 0; rank < ranks; ++rank) ASSERT_TRUE(call.knowsAll(rank) && call.hasToldAll(rank));
  }
}

}  // namespace
}  // namespace starling
