#include "mpi/machine/clock_domains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <vector>

namespace starling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ClockIdentity, tellsClocksWithAnotherFaultApart) {
  EXPECT_EQ(clockIdentity({}), clockIdentity({}));
  EXPECT_NE(clockIdentity({}), clockIdentity({{5.0}, 0.0}));
  EXPECT_NE(clockIdentity({}), clockIdentity({{}, 5.0}));
}

TEST(ClockDomains, joinRanksOfOneIdentity) {
  const ClockDomains domains = domainsOf(std::array<std::uint64_t, 6>{7, 9, 7, 8, 9, 7});
  EXPECT_THAT(domains.leader_of, ElementsAre(0, 1, 0, 3, 1, 0));
  EXPECT_THAT(domains.leaders, ElementsAre(0, 1, 3));
  EXPECT_TRUE(domains.share(std::array{0, 2, 5}));
  EXPECT_FALSE(domains.share(std::array{0, 1}));
}

TEST(ClockDomains, keepRanksApartWhoseMachinesDoNotTell) {
  EXPECT_THAT(domainsOf(std::array<std::uint64_t, 3>{0, 0, 0}).leaders, ElementsAre(0, 1, 2));
}

TEST(ClockNeighbours, areThoseOfTwoTrees) {
  const ClockDomains domains = domainsOf(std::array<std::uint64_t, 6>{7, 9, 7, 8, 9, 7});
  const ClockNeighbours first = neighboursOf(domains, 0);
  EXPECT_TRUE(first.leads());
  EXPECT_EQ(first.teacher, -1);
  EXPECT_THAT(first.students, ElementsAre(1, 3));
  EXPECT_THAT(first.below, ElementsAre(2, 5));
  const ClockNeighbours last = neighboursOf(domains, 4);
  EXPECT_FALSE(last.leads());
  EXPECT_EQ(last.above, 1);
  EXPECT_THAT(last.students, IsEmpty());
  EXPECT_EQ(neighboursOf(domains, 3).teacher, 0);
}

// Each machine learns from one that knew the round before, and nobody has two partners in a round.
TEST(ClockNeighbours, spreadTheTimeInLogarithmicallyManyRounds) {
  for (std::size_t machines = 1; machines <= 130; ++machines) {
    std::vector<std::uint64_t> identities(machines);
    for (std::size_t i = 0; i < machines; ++i) identities[i] = i + 1;
    const ClockDomains domains = domainsOf(identities);
    std::vector<int> knows_after(machines, -1);
    knows_after[0] = 0;
    for (std::size_t machine = 0; machine < machines; ++machine) {
      const ClockNeighbours neighbours = neighboursOf(domains, static_cast<int>(machine));
      ASSERT_GE(knows_after[machine], 0);
      ASSERT_LE(knows_after[machine], static_cast<int>(std::bit_width(machines - 1)));
      int round = knows_after[machine];
      for (const int student : neighbours.students) {
        ASSERT_EQ(knows_after[static_cast<std::size_t>(student)], -1);
        knows_after[static_cast<std::size_t>(student)] = ++round;
      }
    }
  }
}

}  // namespace
}  // namespace starling
