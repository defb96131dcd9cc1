#include "tuner/key_arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "call_summaries.h"
#include "staircase.h"
#include "tuner/placement.h"

namespace starling {
namespace {

constexpr std::int32_t kRanks = 4;

ArrivalPattern late(std::int32_t rank) {
  return {.ranks = kRanks, .latest = {{.rank = rank, .lateness = {1e-3}}}, .others = {}};
}

TEST(KeyArrivals, inheritWhatIsMadeOfThemAndNothingThatIsRecorded) {
  for (const bool is_random : {false, true}) {
    KeyArrivals other(kRanks);
    for (std::int32_t call = 0; call < 20; ++call) other.observe(late(is_random ? call * call % kRanks : 1), {});
    KeyArrivals key(kRanks);
    EXPECT_EQ(key.outlook(), KeyArrivals::Outlook::kUnknown);
    key.inherit(other);
    using enum KeyArrivals::Outlook;
    EXPECT_EQ(key.outlook(), is_random ? kUnpredictable : kPredictable);
    EXPECT_EQ(key.usual().latest, other.usual().latest);
    EXPECT_GT(key.usual().latest, Seconds{});
    EXPECT_EQ(key.tracked().entries().front().seen.count(), 0);
    key.observe(late(1), {});
    EXPECT_EQ(other.tracked().observations(), 20) << "they go on apart";
  }
}

TEST(KeyArrivals, takeLatenessesBelowTheNoiseForNone) {
  for (const Seconds noise : {kNoiseBetweenNodes, kNoiseWithinNode}) {
    KeyArrivals key(kRanks, noise);
    ArrivalPattern pattern = late(2);
    pattern.latest.front().lateness = {18e-6};
    for (int call = 0; call < 20; ++call) key.observe(pattern, {});
    using enum KeyArrivals::Outlook;
    EXPECT_EQ(key.outlook(), noise == kNoiseWithinNode ? kOnTime : kPredictable);
  }
}

ArrivalPattern onTime() { return {.ranks = kRanks, .latest = {{.rank = 3, .lateness = {1e-6}}}, .others = {}}; }

std::int64_t plannedLatenessOf(const KeyPlan& plan) {
  return plan.placed.empty() ? 0 : std::ranges::max(plan.placed, {}, &PlacedRank::lateness_ns).lateness_ns;
}

TEST(KeyArrivals, knowAfterThreeCallsInARowThatARankHasBegunToComeLateAndThatItHasCeased) {
  KeyArrivals key(kRanks);
  KeyPlan plan;
  for (int call = 0; call < 40; ++call) key.observe(onTime(), {});
  for (int turn = 0; turn < 3; ++turn) {
    SCOPED_TRACE(turn);
    key.observe(late(1), {});
    key.observe(late(1), {});
    EXPECT_NE(key.outlook(), KeyArrivals::Outlook::kPredictable) << "two may be chance";
    for (int call = 0; call < 2; ++call) key.observe(late(1), {});
    EXPECT_TRUE(key.arrange(plan, false, TablePolicy::kSort));
    EXPECT_EQ(plannedLatenessOf(plan), 1'000'000);
    for (int call = 0; call < 40; ++call) key.observe(late(1), {});
    for (int call = 0; call < 2; ++call) key.observe(onTime(), {});
    EXPECT_GT(key.usual().latest, Seconds{0.5e-3}) << "two may be chance";
    key.observe(onTime(), {});
    EXPECT_EQ(key.outlook(), KeyArrivals::Outlook::kOnTime);
    EXPECT_TRUE(key.arrange(plan, false, TablePolicy::kSort));
    EXPECT_TRUE(plan.placed.empty()) << "nobody is late any more";
    EXPECT_FALSE(key.arrange(plan, false, TablePolicy::kSort));
    for (int call = 0; call < 40; ++call) key.observe(onTime(), {});
  }
}

// Deterministic jitter of a lateness, by a share of it.
ArrivalPattern lateAbout(std::int32_t ranks, int call, double jitter) {
  const double times = 1.0 + jitter * (call * 7 % 11 - 5) / 5.0;
  return {.ranks = ranks, .latest = {{.rank = 1, .lateness = {times * 1e-3}}}, .others = {}};
}

TEST(KeyArrivals, knowThatALateRankHasCeasedHoweverLongItWasLateAndScattered) {
  for (const std::int32_t ranks : {2, 4, 8, 16, 48}) {
    for (const int calls : {5, 6, 8, 10, 40}) {
      for (const double jitter : {0.0, 0.1, 0.2}) {
        SCOPED_TRACE(testing::Message() << ranks << " ranks, " << calls << " calls, jitter " << jitter);
        ArrivalPattern timely = onTime();
        timely.ranks = ranks;
        timely.latest.front().rank = 0;
        KeyArrivals key(ranks);
        KeyPlan plan;
        for (int call = 0; call < 40; ++call) key.observe(timely, {});
        for (int call = 0; call < calls; ++call) key.observe(lateAbout(ranks, call, jitter), {});
        const bool was_followed = key.arrange(plan, false, TablePolicy::kSort);
        for (int call = 0; call < 3; ++call) key.observe(timely, {});
        EXPECT_EQ(key.arrange(plan, false, TablePolicy::kSort), was_followed);
        EXPECT_TRUE(plan.placed.empty());
      }
    }
  }
}

TEST(KeyArrivals, makeNoPlanForARankThatIsLateInSomeCallsOrOther) {
  for (const int percent : {20, 30, 40}) {
    KeyArrivals key(kRanks);
    KeyPlan plan;
    std::mt19937 random(7);
    for (int call = 0; call < 40; ++call) key.observe(onTime(), {});
    int planned = 0;
    for (int call = 0; call < 2000; ++call) {
      key.observe(static_cast<int>(random() % 100) < percent ? late(1) : onTime(), {});
      if (call < 100 || call % 8 != 0) continue;
      key.arrange(plan, false, TablePolicy::kSort);
      planned += plan.placed.empty() ? 0 : 1;
    }
    EXPECT_LE(planned, 10) << percent << "% of the calls";
  }
}

TEST(KeyArrivals, areNotTakenToBeOnTimeWhereClocksDoNotTell) {
  KeyArrivals key(kRanks);
  KeyPlan plan;
  for (int call = 0; call < 40; ++call) key.observe(late(1), {});
  ASSERT_TRUE(key.arrange(plan, false, TablePolicy::kSort));
  for (int call = 0; call < 10; ++call) key.observe(onTime(), {2e-3});
  EXPECT_FALSE(key.arrange(plan, false, TablePolicy::kSort));
  EXPECT_EQ(plannedLatenessOf(plan), 1'000'000);
}

TEST(KeyArrivals, sayWhetherALateCallIsForeseen) {
  using enum KeyArrivals::Standing;
  KeyArrivals key(kRanks);
  for (int call = 0; call < 40; ++call) key.observe(onTime(), {});
  EXPECT_EQ(key.standing(), kForeseen);
  key.observe(late(1), {});
  EXPECT_EQ(key.standing(), kDoubtful);
  key.observe(onTime(), {});
  EXPECT_EQ(key.standing(), kForeseen) << "that was one call";
  for (int call = 0; call < 3; ++call) key.observe(late(1), {});
  EXPECT_EQ(key.standing(), kMoved);
  key.notePlan(false);
  EXPECT_EQ(key.standing(), kMoved);
  key.notePlan(false);
  EXPECT_EQ(key.standing(), kForeseen) << "no plan follows that";
  for (int call = 0; call < 40; ++call) key.observe(late(1), {});
  for (int call = 0; call < 2; ++call) key.observe(late(2), {});
  EXPECT_EQ(key.standing(), kMoved);
  key.notePlan(true);
  EXPECT_EQ(key.standing(), kForeseen);
}

TEST(KeyArrivals, takeRanksThatAreLateByTurnsForNoneThatHasBegunToBe) {
  KeyArrivals key(kRanks);
  for (int call = 0; call < 40; ++call) key.observe(onTime(), {});
  for (int call = 0; call < 40; ++call) {
    key.observe(late(call % 2), {});
    EXPECT_NE(key.outlook(), KeyArrivals::Outlook::kPredictable) << "call " << call;
  }
}

TEST(KeyArrivals, keepAnOrderThatAnEarlierRunHasFoundUntilThreeCallsHaveComeOnTime) {
  KeyArrivals key(kRanks);
  const std::vector<std::int32_t> table{0, 2, 3, 1};
  KeyPlan plan;
  plan.placed = placementOf(table, std::vector<std::int64_t>{0, 0, 0, 1'000'000});
  for (int call = 1; call <= 3; ++call) {
    key.observe(onTime(), {});
    EXPECT_EQ(key.arrange(plan, false, TablePolicy::kSort), call == 3);
  }
  EXPECT_TRUE(plan.placed.empty());
}

// What rank 0 is told of a call of so many ranks, of which only the latest are named.
template <typename LatenessOf>
ArrivalPattern patternOf(std::size_t ranks, LatenessOf latenessOf) {
  std::vector<Seconds> lateness(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) lateness[rank] = Seconds{latenessOf(rank)};
  return timesOf(gym::summaryOf(lateness, std::vector<Seconds>(ranks, Seconds{1.0})), true).pattern;
}

struct Planned {
  KeyPlan plan;
  int times = 0;  // that it was made in the latter half of the calls
};

// What is planned for calls of so many ranks with these latenesses in seconds, by call and rank.
template <typename LatenessOf>
Planned planFor(std::size_t ranks, int calls, LatenessOf latenessOf) {
  KeyArrivals key(static_cast<std::int32_t>(ranks));
  Planned planned;
  for (int call = 0; call < calls; ++call) {
    key.observe(patternOf(ranks, [&](std::size_t rank) { return latenessOf(call, rank); }), {});
    if (call % 8 != 7) continue;
    const bool is_new = key.arrange(planned.plan, false, TablePolicy::kSort);
    planned.times += is_new && 2 * call >= calls ? 1 : 0;
  }
  return planned;
}

std::vector<std::int32_t> ranksOf(const KeyPlan& plan) {
  std::vector<std::int32_t> ranks;
  for (const PlacedRank& one : plan.placed) ranks.push_back(one.rank);
  std::ranges::sort(ranks);
  return ranks;
}

std::vector<std::int32_t> ranksFrom(std::size_t first, std::size_t end) {
  std::vector<std::int32_t> ranks(end - first);
  std::iota(ranks.begin(), ranks.end(), static_cast<std::int32_t>(first));
  return ranks;
}

// Each call names eight of the ranks that come last, in each others of these.
TEST(KeyArrivals, placeTheLastOfManyRanksThatComeInGroupsAndLeaveThemThere) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> jitter(0.95, 1.05);
  for (const std::size_t ranks : {40U, 48U, 64U, 72U, 96U, 128U}) {
    SCOPED_TRACE(ranks);
    const Planned planned =
        planFor(ranks, 400, [&](int, std::size_t rank) { return 28e-3 * staircaseStep(rank, ranks) * jitter(random); });
    EXPECT_LE(planned.times, ranks < 128 ? 0 : 2) << "of 32 one may not be named for long";
    EXPECT_EQ(ranksOf(planned.plan), ranksFrom(ranks - ranks / 4, ranks)) << "nobody knows who is late of the others";
    for (const PlacedRank& one : planned.plan.placed) {
      EXPECT_GE(one.place, static_cast<std::int32_t>(ranks - ranks / 4));
      EXPECT_NEAR(static_cast<double>(one.lateness_ns), 28e6, 11e6);
    }
  }
  const Planned too_many =
      planFor(256, 400, [&](int, std::size_t rank) { return 28e-3 * staircaseStep(rank, 256) * jitter(random); });
  EXPECT_TRUE(too_many.plan.placed.empty()) << "64 are as late";
}

TEST(KeyArrivals, placeALateNodeOfManyThoughTheOtherRanksScatter) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> scatter(0.0, 1.0);
  for (const std::size_t ranks : {64U, 1024U, 4096U}) {
    const Planned planned = planFor(ranks, 400, [&](int, std::size_t rank) {
      return rank / 16 == 2 ? 10e-3 + 0.2e-3 * scatter(random) : 0.5e-3 * scatter(random);
    });
    EXPECT_EQ(planned.times, 0) << ranks << " ranks";
    EXPECT_EQ(ranksOf(planned.plan), ranksFrom(32, 48)) << ranks << " ranks";
  }
}

TEST(KeyArrivals, placeAStragglerAloneWhereACrowdIsBehindTheFirst) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> jitter(0.95, 1.05);
  const Planned planned = planFor(128, 400, [&](int, std::size_t rank) {
    return rank == 5 ? 10e-3 : rank < 64 ? 0.0 : 4e-3 * jitter(random);
  });
  EXPECT_EQ(ranksOf(planned.plan), std::vector<std::int32_t>{5});
  EXPECT_EQ(planned.times, 0);
}

// Once it was named it is followed for good, with what is known of the ranks that are not among the latest.
TEST(KeyArrivals, placeNoRankThatWasHeldUpOnce) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> jitter(0.95, 1.05);
  const Planned planned = planFor(48, 800, [&](int call, std::size_t rank) {
    const bool is_held_up = call % 97 == 50 && rank == static_cast<std::size_t>(call) / 97;
    return is_held_up ? 30e-3 : 28e-3 * staircaseStep(rank, 48) * jitter(random);
  });
  EXPECT_EQ(ranksOf(planned.plan), ranksFrom(36, 48));
}

TEST(KeyArrivals, makeNoNewPlanWhereARankIsAboutAsLateAsTheNoise) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> scatter(0.0, 1.0);
  for (const std::size_t ranks : {8U, 64U}) {
    const Planned planned = planFor(ranks, 800, [&](int call, std::size_t rank) {
      const double about_noise = 1e-3 + 0.15e-3 * ((call / 40) % 2 == 0 ? 1 : -1);
      return rank == 1 ? 10e-3 : rank == 0 ? about_noise : 2e-6 * scatter(random);
    });
    EXPECT_LE(planned.times, 1) << ranks << " ranks";
  }
}

TEST(KeyArrivals, placeNobodyWhereMoreThanAreFollowedComeLateByChance) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> scatter(0.0, 28e-3);
  for (const std::size_t ranks : {64U, 128U, 1024U}) {
    KeyArrivals key(static_cast<std::int32_t>(ranks));
    KeyPlan plan;
    int planned = 0;
    for (int call = 0; call < 400; ++call) {
      key.observe(patternOf(ranks, [&](std::size_t) { return scatter(random); }), {});
      key.arrange(plan, false, TablePolicy::kSort);
      planned += plan.placed.empty() ? 0 : 1;
    }
    EXPECT_LE(planned, 4) << ranks << " ranks";
  }
}

// A plan that runs a row with flags, or the same row without.
KeyPlan planOf(const char* choice) {
  KeyPlan plan;
  plan.incumbent = parseChoice(choice).value();
  return plan;
}

TEST(KeyArrivals, letAnotherRankBeTheCoordinatorOfFlagsWhereThatIsOftenLate) {
  KeyArrivals key(kRanks);
  KeyPlan plan = planOf("slt:flagged=1");
  for (int call = 0; call < 6; ++call) key.observe(late(call % 3), {});
  EXPECT_FALSE(key.placeCoordinator(plan)) << "that may be chance";
  for (int call = 0; call < 12; ++call) key.observe(late(call % 3), {});
  EXPECT_TRUE(key.placeCoordinator(plan));
  EXPECT_EQ(plan.placed, std::vector({PlacedRank{.rank = 3, .place = 0, .lateness_ns = 0}}));
  EXPECT_FALSE(plan.foreseesLateRank());
  EXPECT_FALSE(key.placeCoordinator(plan)) << "it stays";
  for (int call = 0; call < 100; ++call) key.observe(late(call % 2 == 0 ? 3 : 1), {});
  EXPECT_TRUE(key.placeCoordinator(plan)) << "now that rank is often late";
  EXPECT_EQ(plan.placed.size(), 1U);
  EXPECT_NE(plan.placed.front().rank, 3);
  plan.incumbent = parseChoice("slt").value();
  EXPECT_TRUE(key.placeCoordinator(plan)) << "no flags, no coordinator";
  EXPECT_TRUE(plan.placed.empty());
  EXPECT_FALSE(key.placeCoordinator(plan));
}

TEST(KeyArrivals, keepTheCoordinatorWhereAllRanksAreLateEquallyOften) {
  std::mt19937 random(7);
  KeyArrivals key(kRanks);
  KeyPlan plan = planOf("slt:flagged=1");
  int moves = 0;
  for (int call = 0; call < 2000; ++call) {
    key.observe(late(static_cast<std::int32_t>(random() % kRanks)), {});
    moves += key.placeCoordinator(plan) ? 1 : 0;
  }
  EXPECT_LE(moves, 6);
}

// What is made of arrivals without order takes no coordinator away, or plan after plan would bring it back.
TEST(KeyArrivals, leaveTheCoordinatorWhereArrivalsHaveNoOrder) {
  for (const std::int32_t ranks : {8, 12, 16, 32, 48}) {
    std::mt19937 random(3);
    KeyArrivals key(ranks);
    KeyPlan plan = planOf("slt:flagged=1");
    int plans = 0;
    for (int call = 0; call < 400; ++call) {
      const auto rank = static_cast<std::int32_t>(random() % 4);
      key.observe({.ranks = ranks, .latest = {{.rank = rank, .lateness = {1e-3}}}, .others = {}}, {});
      const bool is_moved = key.arrange(plan, false, TablePolicy::kSort);
      const bool has_coordinator = key.placeCoordinator(plan);
      if (call >= 200) plans += is_moved || has_coordinator ? 1 : 0;
    }
    EXPECT_LE(plans, 2) << ranks;
    ASSERT_FALSE(plan.placed.empty()) << ranks;
    EXPECT_GE(expanded(plan.placed, ranks).table.front(), 4) << ranks;
  }
}

TEST(KeyArrivals, keepTheCoordinatorWhereNobodyIsLate) {
  KeyArrivals key(kRanks);
  KeyPlan plan = planOf("slt:flagged=1");
  for (int call = 0; call < 100; ++call) {
    ArrivalPattern pattern = onTime();
    pattern.latest.front().rank = 0;
    key.observe(pattern, {});
  }
  EXPECT_FALSE(key.placeCoordinator(plan));
}

TEST(KeyArrivals, leaveLateRanksWhereTheyAreWhenTheCoordinatorMoves) {
  KeyArrivals key(kRanks);
  for (int call = 0; call < 20; ++call) key.observe(late(call % 2), {});
  KeyPlan plan = planOf("slt:flagged=1");
  const PlacedRank latest{.rank = 2, .place = 3, .lateness_ns = 1'000'000};
  plan.placed = {latest};
  EXPECT_TRUE(key.placeCoordinator(plan));
  EXPECT_EQ(plan.placed, std::vector({PlacedRank{.rank = 3, .place = 0, .lateness_ns = 0}, latest}));
  plan.incumbent = parseChoice("slt").value();
  EXPECT_FALSE(key.placeCoordinator(plan)) << "it is a part of the order of arrivals";
  plan.incumbent = parseChoice("slt:flagged=1").value();
  plan.placed = {{.rank = 0, .place = 0, .lateness_ns = 1}, latest};
  EXPECT_FALSE(key.placeCoordinator(plan)) << "it is to be late";
}

TEST(KeyArrivals, placeNoCoordinatorBeyondTheRanksThatMayBePlaced) {
  constexpr std::int32_t kMany = 100;
  const auto late_among_many = [](std::int32_t rank) {
    return ArrivalPattern{.ranks = kMany, .latest = {{.rank = rank, .lateness = {1e-3}}}, .others = {}};
  };
  KeyArrivals key(kMany);
  for (int call = 0; call < 20; ++call) key.observe(late_among_many(0), {});
  KeyPlan plan = planOf("slt:flagged=1");
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(kMostPlaced); ++i) plan.placed.push_back({50 + i, 60 + i, 9});
  EXPECT_FALSE(key.placeCoordinator(plan)) << "a message has room for no more";
  plan.placed.pop_back();
  EXPECT_TRUE(key.placeCoordinator(plan));
  EXPECT_EQ(plan.placed.front().rank, 1);
  EXPECT_TRUE(isPlacement(plan.placed, kMany));
  for (int call = 0; call < 200; ++call) key.observe(late_among_many(90), {});
  EXPECT_FALSE(key.placeCoordinator(plan)) << "only the first ranks are counted";
}

}  // namespace
}  // namespace starling
