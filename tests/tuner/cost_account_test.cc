#include "tuner/cost_account.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "cost_candidates.h"

namespace starling {
namespace {

constexpr Seconds kNoise{1e-6};

CommonArrivals lateRanks(std::vector<PlacedRank> placed) { return {.placed = std::move(placed)}; }
CommonArrivals lateAsARule(double latest) { return {.placed = {}, .latest = {latest}}; }

// Returns one of a communicator that was freed.
std::shared_ptr<CostAccount> ranked(CommonArrivals arrivals = {}) {
  auto account = std::make_shared<CostAccount>();
  account->costs.predict(candidates());
  account->arrivals = std::move(arrivals);
  account->is_left = true;
  return account;
}

TEST(CommonArrivals, areLikeWhereTheSameRanksAreAboutAsLateWhereverTheyStand) {
  const CommonArrivals late = lateRanks({{3, 7, 1'000'000}});
  EXPECT_TRUE(late.areLike(lateRanks({{3, 7, 1'000'000}}), kNoise));
  EXPECT_TRUE(late.areLike(lateRanks({{3, 5, 1'200'000}, {2, 0, 0}}), kNoise));
  EXPECT_TRUE(late.areLike(lateRanks({{3, 7, 1'000'000}, {4, 6, 200'000}}), kNoise)) << "a quarter makes no difference";
  EXPECT_FALSE(late.areLike(lateRanks({{3, 7, 1'500'000}}), kNoise));
  EXPECT_FALSE(late.areLike(lateRanks({{2, 7, 1'000'000}}), kNoise));
  EXPECT_FALSE(late.areLike(lateRanks({{3, 7, 1'000'000}, {4, 6, 400'000}}), kNoise));
  EXPECT_FALSE(late.areLike({}, kNoise));
  EXPECT_TRUE(late.areLike({}, Seconds{2e-3})) << "noise";
  EXPECT_FALSE(CommonArrivals{}.areLike(late, kNoise));
}

TEST(CommonArrivals, areLikeWhereNobodyIsPredictedToBeLateAndTheLastIsAboutAsLate) {
  EXPECT_TRUE(lateAsARule(0.0).areLike(lateAsARule(3e-6), kNoise)) << "noise";
  EXPECT_TRUE(lateAsARule(1e-3).areLike(lateAsARule(3e-3), kNoise));
  EXPECT_FALSE(lateAsARule(1e-3).areLike(lateAsARule(5e-3), kNoise));
  EXPECT_FALSE(lateAsARule(0.0).areLike(lateAsARule(1e-3), kNoise));
  EXPECT_TRUE(lateAsARule(0.0).areLike(lateRanks({{5, 0, 0}}), kNoise)) << "a coordinator is not late";
}

// Once a row is known that takes a fraction of native's time a lateness makes a difference that made none before.
TEST(CostAccount, suitsArrivalsThatDifferByLittleBesideTheFastestOfItsCalls) {
  const std::shared_ptr<CostAccount> account = ranked();
  for (int i = 0; i < 8; ++i) account->costs.observe(kNativeChoice, Seconds{20e-3});
  EXPECT_TRUE(account->suits(lateRanks({{3, 7, 1'000'000}}), kNoise));
  EXPECT_TRUE(account->suits(lateAsARule(1e-3), kNoise));
  EXPECT_FALSE(account->suits(lateRanks({{3, 7, 4'000'000}}), kNoise));
  measure(account->costs, 20e-3, 1e-3);
  EXPECT_FALSE(account->suits(lateRanks({{3, 7, 1'000'000}}), kNoise));
  EXPECT_FALSE(account->suits(lateAsARule(1e-3), kNoise));
  EXPECT_TRUE(account->suits(lateRanks({{3, 7, 1'000'000}}), Seconds{2e-3}));
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

TEST(AccountShare, leavesWhatOthersAreAboutToTry) {
  AccountShare one(1, 7);
  one->costs.predict(candidates());
  AccountShare another(2, 7);
  another.moveTo(one.account());
  KeyCosts::Allowance allowance = plenty(1);
  for (allowance.planner = 1; allowance.planner <= 2; ++allowance.planner)
    ASSERT_EQ(one->costs.planTrials(KeyCosts::kNative, allowance).size(), 1U);
  another.separate(3, {});
  EXPECT_TRUE(one->costs.awaitsTrials());
  EXPECT_TRUE(another->costs.awaitsTrials());
  one->costs.forgetTrials(1);
  another->costs.forgetTrials(2);
  EXPECT_FALSE(one->costs.awaitsTrials());
  EXPECT_FALSE(another->costs.awaitsTrials());
}

TEST(CostAccounts, findTheLatestOfTheKindWithSuchArrivals) {
  CostAccounts accounts;
  const CostAccounts::Kind kind{{.ranks = 8, .size_class = 12}, 512, Bytes{8}};
  EXPECT_EQ(accounts.find(kind, 7, {}, kNoise), nullptr);
  const auto add = [&](const CostAccounts::Kind& of, CommonArrivals arrivals) {
    const std::shared_ptr<CostAccount> account = ranked(std::move(arrivals));
    accounts.add(of, account);
    return account;
  };
  const auto on_time = add(kind, {});
  const auto late = add(kind, lateRanks({{3, 7, 1'000'000}}));
  EXPECT_EQ(accounts.find(kind, 7, {}, kNoise), on_time);
  EXPECT_EQ(accounts.find(kind, 7, lateRanks({{3, 7, 900'000}}), kNoise), late);
  EXPECT_EQ(accounts.find(kind, 7, lateRanks({{4, 7, 900'000}}), kNoise), nullptr);
  const auto later = add(kind, {});
  EXPECT_EQ(accounts.find(kind, 7, {}, kNoise), later);
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
  for (const CostAccounts::Kind& other : others) EXPECT_EQ(accounts.find(other, 7, {}, kNoise), nullptr);
}

TEST(CostAccounts, areThoseOfOneCommunicatorAndThenOfTheNext) {
  for (const bool shares_memory : {false, true}) {
    CostAccounts accounts;
    CostAccounts::Kind kind{{.ranks = 8, .size_class = 12}, 512, Bytes{8}};
    kind.shares_memory = shares_memory;
    std::shared_ptr<CostAccount> account;
    {
      AccountShare used(1, 7);
      used.moveTo(ranked());
      account = used.account();
      accounts.add(kind, account);
      EXPECT_EQ(accounts.find(kind, 7, {}, kNoise), account);
      EXPECT_EQ(accounts.find(kind, 8, {}, kNoise), nullptr) << "links of both may differ";
    }
    EXPECT_EQ(accounts.find(kind, 7, {}, kNoise), account);
    EXPECT_EQ(accounts.find(kind, 8, {}, kNoise), nullptr) << "its key may come back";
    accounts.leave(7);
    EXPECT_EQ(accounts.find(kind, 8, {}, kNoise), shares_memory ? nullptr : account);
    if (shares_memory) continue;
    AccountShare next(2, 8);
    next.moveTo(account);
    EXPECT_EQ(accounts.find(kind, 8, {}, kNoise), account);
    EXPECT_EQ(accounts.find(kind, 9, {}, kNoise), nullptr) << "it is that of the next one now";
  }
}

TEST(AccountShare, goesOnWithWhatTrialsMayTakeOnAnotherCommunicator) {
  AccountShare one(1, 7);
  one->costs.predict(candidates());
  one->budget.begin(TrialBudget::kGrantedCalls);
  one->budget.count(TrialBudget::kGrantedCalls);
  AccountShare beside(2, 7);
  beside.moveTo(one.account());
  EXPECT_LT(one->budget.left(), 1.0);
  AccountShare next(3, 8);
  next.moveTo(one.account());
  EXPECT_GT(one->budget.left(), 10.0);
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
  AccountShare used(1, 7);
  used.moveTo(ranked());
  accounts.add(kindOf(0), used.account());
  for (std::size_t i = 1; i <= CostAccounts::kMostKept; ++i)
    accounts.add(kindOf(static_cast<std::int64_t>(i)), ranked());
  EXPECT_EQ(accounts.find(kindOf(0), 7, {}, kNoise), used.account());
  EXPECT_EQ(accounts.find(kindOf(1), 7, {}, kNoise), nullptr);
  EXPECT_NE(accounts.find(kindOf(2), 7, {}, kNoise), nullptr);
}

}  // namespace
}  // namespace starling
