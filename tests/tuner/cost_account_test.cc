#include "tuner/cost_account.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "cost_candidates.h"

namespace starling {
namespace {

constexpr Seconds kNoise{1e-6};

CommonArrivals lateRanks(std::vector<PlacedRank> placed) { return {.placed = std::move(placed), .noise = kNoise}; }
CommonArrivals lateAsARule(double latest) { return {.placed = {}, .latest = {latest}, .noise = kNoise}; }

TEST(CommonArrivals, areLikeWhereTheSameRanksAreAboutAsLateWhereverTheyStand) {
  const CommonArrivals late = lateRanks({{3, 7, 1'000'000}});
  EXPECT_TRUE(late.areLike(lateRanks({{3, 7, 1'000'000}})));
  EXPECT_TRUE(late.areLike(lateRanks({{3, 5, 1'200'000}, {2, 0, 0}})));
  EXPECT_TRUE(late.areLike(lateRanks({{3, 7, 1'000'000}, {4, 6, 200'000}}))) << "a quarter makes no difference";
  EXPECT_FALSE(late.areLike(lateRanks({{3, 7, 1'500'000}})));
  EXPECT_FALSE(late.areLike(lateRanks({{2, 7, 1'000'000}})));
  EXPECT_FALSE(late.areLike(lateRanks({{3, 7, 1'000'000}, {4, 6, 400'000}})));
  EXPECT_FALSE(late.areLike({}));
  CommonArrivals of_long_calls = lateRanks({});
  of_long_calls.noise = {2e-3};
  EXPECT_TRUE(of_long_calls.areLike(late)) << "no rank is late beside what a call takes";
  EXPECT_TRUE(late.areLike(of_long_calls));
  EXPECT_FALSE(CommonArrivals{}.areLike(late));
}

TEST(CommonArrivals, areLikeWhereNobodyIsPredictedToBeLateAndTheLastIsAboutAsLate) {
  EXPECT_TRUE(lateAsARule(0.0).areLike(lateAsARule(3e-6))) << "noise";
  EXPECT_TRUE(lateAsARule(1e-3).areLike(lateAsARule(3e-3)));
  EXPECT_FALSE(lateAsARule(1e-3).areLike(lateAsARule(5e-3)));
  EXPECT_FALSE(lateAsARule(0.0).areLike(lateAsARule(1e-3)));
  EXPECT_TRUE(lateAsARule(0.0).areLike(lateRanks({{5, 0, 0}}))) << "a coordinator is not late";
}

TEST(AccountShare, countsTheKeysOfAnAccount) {
  AccountShare one(1);
  EXPECT_EQ(one->name, 1);
  EXPECT_FALSE(one.isShared());
  {
    AccountShare another(2);
    another.moveTo(one.account());
    EXPECT_EQ(another->name, 1);
    EXPECT_TRUE(one.isShared());
    EXPECT_EQ(one->keys, 2);
  }
  EXPECT_FALSE(one.isShared());
}

TEST(AccountShare, separatesWithWhatIsKnownAndWithoutTheOthers) {
  AccountShare one(1);
  one->costs.predict(candidates());
  measure(one->costs, 1e-3, 0.5e-3);
  AccountShare another(2);
  another.moveTo(one.account());
  another.separate(lateRanks({{3, 7, 1'000'000}}));
  EXPECT_FALSE(one.isShared());
  EXPECT_FALSE(another.isShared());
  EXPECT_TRUE(one->arrivals.placed.empty());
  EXPECT_EQ(another->arrivals.placed.size(), 1U);
  const std::size_t ring = one->costs.armOf(named("ring"));
  EXPECT_EQ(another->costs.expected(ring), one->costs.expected(ring));
  measure(another->costs, 1e-3, 2e-3);
  EXPECT_LT(one->costs.expected(ring), Seconds{0.6e-3}) << "what one finds is not the other's any more";
  EXPECT_GT(another->costs.expected(ring), Seconds{0.6e-3});
}

TEST(AccountShare, leavesNoTrialUnderWayThatItsKeyWasToMake) {
  AccountShare one(1);
  one->costs.predict(candidates());
  {
    AccountShare another(2);
    another.moveTo(one.account());
    KeyCosts::Allowance allowance = plenty();
    allowance.planner = 2;
    ASSERT_FALSE(one->costs.planTrials(KeyCosts::kNative, allowance).empty());
    EXPECT_TRUE(one->costs.awaitsTrials());
  }
  EXPECT_FALSE(one->costs.awaitsTrials());
}

TEST(CostAccounts, findTheLatestOfTheKindWithSuchArrivals) {
  CostAccounts accounts;
  const CostAccounts::Kind kind{{.ranks = 8, .size_class = 12}, 512, Bytes{8}};
  EXPECT_EQ(accounts.find(kind, {}), nullptr);
  const auto add = [&](const CostAccounts::Kind& of, CommonArrivals arrivals) {
    auto account = std::make_shared<CostAccount>();
    account->arrivals = std::move(arrivals);
    accounts.add(of, account);
    return account;
  };
  const auto on_time = add(kind, {});
  const auto late = add(kind, lateRanks({{3, 7, 1'000'000}}));
  EXPECT_EQ(accounts.find(kind, {}), on_time);
  EXPECT_EQ(accounts.find(kind, lateRanks({{3, 7, 900'000}})), late);
  EXPECT_EQ(accounts.find(kind, lateRanks({{4, 7, 900'000}})), nullptr);
  const auto later = add(kind, {});
  EXPECT_EQ(accounts.find(kind, {}), later);
  for (CostAccounts::Kind other : std::vector(6, kind)) {
    static int which = 0;
    if (which == 0) other.shape.ranks = 9;
    if (which == 1) other.count = 511;
    if (which == 2) other.element_size = Bytes{4};
    if (which == 3) other.commutative = false;
    if (which == 4) other.stamps_compare = false;
    if (which == 5) other.communicator = 1;
    EXPECT_EQ(accounts.find(other, {}), nullptr) << which;
    ++which;
  }
}

TEST(CostAccounts, giveUpTheOldestThatNoKeyShares) {
  CostAccounts accounts;
  const auto kindOf = [](std::int64_t count) { return CostAccounts::Kind{{.ranks = 8}, count, Bytes{8}}; };
  const AccountShare used(1);
  accounts.add(kindOf(0), used.account());
  for (std::size_t i = 1; i <= CostAccounts::kMostKept; ++i)
    accounts.add(kindOf(static_cast<std::int64_t>(i)), std::make_shared<CostAccount>());
  EXPECT_EQ(accounts.find(kindOf(0), {}), used.account());
  EXPECT_EQ(accounts.find(kindOf(1), {}), nullptr);
  EXPECT_NE(accounts.find(kindOf(2), {}), nullptr);
}

}  // namespace
}  // namespace starling
