#include "simulator/shared_ports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace starling {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(SharedPorts, transferAloneHasTheWholePort) {
  SharedPorts ports(2);
  const auto id = ports.begin(0, 1, 3.0, 2.0);
  EXPECT_THAT(ports.update(2.0), ElementsAre(id));
  EXPECT_EQ(ports.endOf(id), 5.0);
  EXPECT_THAT(ports.update(3.0), ElementsAre());
}

TEST(SharedPorts, bothDirectionsOfARankAreApart) {
  SharedPorts ports(2);
  const auto there = ports.begin(0, 1, 1.0, 0.0);
  const auto back = ports.begin(1, 0, 1.0, 0.0);
  ports.update(0.0);
  EXPECT_EQ(ports.endOf(there), 1.0);
  EXPECT_EQ(ports.endOf(back), 1.0);
}

TEST(SharedPorts, transfersToOneRankShareItEvenlyAndEndTogether) {
  SharedPorts ports(4);
  std::vector<SharedPorts::Id> ids;
  for (std::int32_t source = 1; source < 4; ++source) ids.push_back(ports.begin(source, 0, 1.0, 0.0));
  ports.update(0.0);
  for (const auto id : ids) EXPECT_DOUBLE_EQ(ports.endOf(id), 3.0);
}

TEST(SharedPorts, whoComesLaterSlowsTheOthersAndWhoEndsLeavesThemHisShare) {
  SharedPorts ports(3);
  const auto first = ports.begin(0, 2, 2.0, 0.0);
  ports.update(0.0);
  const auto second = ports.begin(1, 2, 0.5, 1.0);
  EXPECT_THAT(ports.update(1.0), UnorderedElementsAre(first, second));
  EXPECT_EQ(ports.endOf(first), 3.0);
  EXPECT_EQ(ports.endOf(second), 2.0);
  ports.end(second);
  EXPECT_THAT(ports.update(2.0), ElementsAre(first));
  EXPECT_EQ(ports.endOf(first), 2.5);
}

// Of the two transfers that rank 2 sends, the one to the crowded rank can use a third only.
TEST(SharedPorts, whatOneTransferCannotUseTheOthersHave) {
  SharedPorts ports(5);
  ports.begin(0, 4, 1.0, 0.0);
  ports.begin(1, 4, 1.0, 0.0);
  const auto crowded = ports.begin(2, 4, 1.0, 0.0);
  const auto other = ports.begin(2, 3, 1.0, 0.0);
  ports.update(0.0);
  EXPECT_DOUBLE_EQ(ports.endOf(crowded), 3.0);
  EXPECT_DOUBLE_EQ(ports.endOf(other), 1.5);
}

TEST(SharedPorts, whatShareNoPortIsNotTouched) {
  SharedPorts ports(6);
  const auto apart = ports.begin(0, 1, 1.0, 0.0);
  ports.update(0.0);
  const auto first = ports.begin(2, 3, 1.0, 0.5);
  const auto second = ports.begin(4, 3, 1.0, 0.5);
  EXPECT_THAT(ports.update(0.5), UnorderedElementsAre(first, second));
  EXPECT_EQ(ports.endOf(apart), 1.0);
}

TEST(SharedPorts, transferOfNothingEndsAtOnceAndItsIdServesAgain) {
  SharedPorts ports(2);
  const auto nothing = ports.begin(0, 1, 0.0, 4.0);
  ports.update(4.0);
  EXPECT_EQ(ports.endOf(nothing), 4.0);
  ports.end(nothing);
  EXPECT_EQ(ports.begin(1, 0, 1.0, 5.0), nothing);
  ports.update(5.0);
  EXPECT_EQ(ports.endOf(nothing), 6.0);
}

// The definition of max-min fairness: every transfer has a port that is full and on which none has more.
TEST(SharedPorts, everyTransferHasAFullPortOnWhichNoneHasMore) {
  constexpr std::int32_t kRanks = 7;
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int32_t> rank(0, kRanks - 1);
  for (int round = 0; round < 50; ++round) {
    SharedPorts ports(kRanks);
    struct Known {
      std::int32_t source;
      std::int32_t target;
      SharedPorts::Id id;
    };
    std::vector<Known> transfers;
    for (int i = 0; i < 1 + round; ++i) {
      const std::int32_t source = rank(random);
      const std::int32_t target = (source + 1 + rank(random) % (kRanks - 1)) % kRanks;
      transfers.push_back({source, target, ports.begin(source, target, 1.0, 0.0)});
      if (i % 3 == 0) ports.update(0.0);
    }
    ports.update(0.0);
    const auto rate = [&](const Known& transfer) { return 1.0 / ports.endOf(transfer.id); };
    for (const Known& transfer : transfers) {
      const auto is_bottleneck = [&](const auto& has_port) {
        double sum = 0.0;
        double most = 0.0;
        for (const Known& other : transfers) {
          if (!has_port(other)) continue;
          sum += rate(other);
          most = std::max(most, rate(other));
        }
        EXPECT_LE(sum, 1.0 + 1e-6);
        return sum > 1.0 - 1e-6 && rate(transfer) > most - 1e-6;
      };
      EXPECT_TRUE(is_bottleneck([&](const Known& other) { return other.source == transfer.source; }) ||
                  is_bottleneck([&](const Known& other) { return other.target == transfer.target; }))
          << "round " << round;
    }
  }
}

}  // namespace
}  // namespace starling
