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
  AccountShare one(1, 7);
  EXPECT_EQ(one->name, 1);
  EXPECT_FALSE(one.isShared());
  {
    AccountShare another(2, 7);
    another.moveTo(one.account());
    EXPECT_EQ(another->name, 1);
    EXPECT_TRUE(one.isShared());
    EXPECT_EQ(one->keys, 2);
  }
  EXPECT_FALSE(one.isShared());
}

TEST(AccountShare, separatesWithWhatIsKnownAndWithoutTheOthers) {
  AccountShare one(1, 7);
  one->costs.predict(candidates());
  measure(one->costs, 1e-3, 0.5e-3);
  AccountShare another(2, 7);
  another.moveTo(one.account());
  another.separate(3, lateRanks({{3, 7, 1'000'000}}));
  EXPECT_FALSE(one.isShared());
  EXPECT_FALSE(another.isShared());
  EXPECT_TRUE(one->arrivals.placed.empty());
  EXPECT_EQ(one->name, 1);
  EXPECT_EQ(another->name, 3) << "they hear of each other";
  EXPECT_TRUE(one->was_shared);
  EXPECT_TRUE(another->was_shared);
  EXPECT_EQ(another->arrivals.placed.size(), 1U);
  const std::size_t ring = one->costs.armOf(named("ring"));
  EXPECT_EQ(another->costs.expected(ring), one->costs.expected(ring));
  measure(another->costs, 1e-3, 2e-3);
  EXPECT_LT(one->costs.expected(ring), Seconds{0.6e-3}) << "what one finds is not the other's any more";
  EXPECT_GT(another->costs.expected(ring), Seconds{0.6e-3});
}

TEST(AccountShare, leavesNoTrialUnderWayThatItsKeyWasToMake) {
  AccountShare one(1, 7);
  one->costs.predict(candidates());
  {
    AccountShare another(2, 7);
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
  EXPECT_EQ(accounts.find(kind, 7, {}), nullptr);
  const auto add = [&](const CostAccounts::Kind& of, CommonArrivals arrivals) {
    auto account = std::make_shared<CostAccount>();
    account->arrivals = std::move(arrivals);
    accounts.add(of, account);
    return account;
  };
  const auto on_time = add(kind, {});
  const auto late = add(kind, lateRanks({{3, 7, 1'000'000}}));
  EXPECT_EQ(accounts.find(kind, 7, {}), on_time);
  EXPECT_EQ(accounts.find(kind, 7, lateRanks({{3, 7, 900'000}})), late);
  EXPECT_EQ(accounts.find(kind, 7, lateRanks({{4, 7, 900'000}})), nullptr);
  const auto later = add(kind, {});
  EXPECT_EQ(accounts.find(kind, 7, {}), later);
  std::vector<CostAccounts::Kind> others(9, kind);
  others[0].shape.ranks = 9;
  others[1].count = 511;
  others[2].element_size = Bytes{4};
  others[3].commutative = false;
  others[4].stamps_compare = false;
  others[5].type = 1;
  others[6].operation = 1;
  others[7].shares_memory = true;
  others[8].links = {1, 2};
  for (const CostAccounts::Kind& other : others) EXPECT_EQ(accounts.find(other, 7, {}), nullptr);
}

TEST(CostAccounts, areThoseOfOneCommunicatorAndThenOfTheNext) {
  for (const bool shares_memory : {false, true}) {
    CostAccounts accounts;
    CostAccounts::Kind kind{{.ranks = 8, .size_class = 12}, 512, Bytes{8}};
    kind.shares_memory = shares_memory;
    std::shared_ptr<CostAccount> account;
    {
      const AccountShare used(1, 7);
      account = used.account();
      accounts.add(kind, account);
      EXPECT_EQ(accounts.find(kind, 7, {}), account);
      EXPECT_EQ(accounts.find(kind, 8, {}), nullptr) << "links of both may differ";
    }
    EXPECT_EQ(accounts.find(kind, 8, {}), shares_memory ? nullptr : account);
    accounts.forget(7);
    EXPECT_EQ(accounts.find(kind, 7, {}), shares_memory ? nullptr : account);
  }
}

TEST(AccountShare, findsOutAnewOnAnotherCommunicatorWhatLacksMemory) {
  AccountShare one(1, 7);
  one->costs.predict(candidates());
  measure(one->costs, 1e-3, 0.5e-3);
  one->costs.disable(named("ring"));
  ASSERT_EQ(one->costs.best(KeyCosts::kNative), KeyCosts::kNative);
  AccountShare next(2, 8);
  next.moveTo(one.account());
  EXPECT_EQ(one->costs.best(KeyCosts::kNative), one->costs.armOf(named("ring")));
}

TEST(CostAccounts, giveUpTheOldestThatNoKeyShares) {
  CostAccounts accounts;
  const auto kindOf = [](std::int64_t count) { return CostAccounts::Kind{{.ranks = 8}, count, Bytes{8}}; };
  const AccountShare used(1, 7);
  accounts.add(kindOf(0), used.account());
  for (std::size_t i = 1; i <= CostAccounts::kMostKept; ++i)
    accounts.add(kindOf(static_cast<std::int64_t>(i)), std::make_shared<CostAccount>());
  EXPECT_EQ(accounts.find(kindOf(0), 7, {}), used.account());
  EXPECT_EQ(accounts.find(kindOf(1), 7, {}), nullptr);
  EXPECT_NE(accounts.find(kindOf(2), 7, {}), nullptr);
}

}  // namespace
}  // namespace starling
