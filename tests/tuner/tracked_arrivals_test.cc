#include "tuner/tracked_arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "call_summaries.h"

namespace starling {
namespace {

// What rank 0 is told of a call with these latenesses by rank.
ArrivalPattern patternOf(const std::vector<Seconds>& lateness) {
  const Seconds latest = *std::max_element(lateness.begin(), lateness.end());
  return timesOf(gym::summaryOf(lateness, std::vector<Seconds>(lateness.size(), latest + Seconds{1e-3})), true).pattern;
}

TrackedArrivals::Entry entryOf(const TrackedArrivals& arrivals, std::int32_t rank) {
  for (const TrackedArrivals::Entry& entry : arrivals.entries()) {
    if (entry.rank == rank) return entry;
  }
  ADD_FAILURE() << "rank " << rank << " is not followed";
  return {};
}

TEST(TrackedArrivals, followAllRanksWhereThereAreFew) {
  for (const std::int32_t ranks : {1, 2, 3, 4, 5, 7, 8, 9}) {
    TrackedArrivals arrivals(ranks);
    std::vector<Seconds> lateness(static_cast<std::size_t>(ranks));
    for (std::int32_t rank = 0; rank < ranks; ++rank) lateness[static_cast<std::size_t>(rank)] = {rank * 1e-3};
    for (int call = 0; call < 20; ++call) arrivals.observe(patternOf(lateness));
    EXPECT_EQ(arrivals.entries().size(), static_cast<std::size_t>(ranks));
    EXPECT_EQ(arrivals.others(), 0);
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_NEAR(entryOf(arrivals, rank).predicted.value, rank * 1e-3, 1e-6);
      EXPECT_NEAR(entryOf(arrivals, rank).seen.mean(), rank * 1e-3, 1e-6);
    }
  }
}

TEST(TrackedArrivals, followTheRankThatIsLateAmongMany) {
  TrackedArrivals arrivals(10'240);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> scatter(0.0, 10e-6);
  for (int call = 0; call < 40; ++call) {
    std::vector<Seconds> lateness(10'240);
    for (Seconds& one : lateness) one = {scatter(random)};
    lateness[7'000] = {20e-3};
    arrivals.observe(patternOf(lateness));
  }
  const TrackedArrivals::Entry late = entryOf(arrivals, 7'000);
  EXPECT_NEAR(late.predicted.value, 20e-3, 1e-4);
  EXPECT_LT(late.error, Seconds{1e-4});
  EXPECT_NEAR(arrivals.entries().back().predicted.value, 5e-6, 2e-6) << "the others'";
  EXPECT_EQ(arrivals.entries().back().rank, TrackedArrivals::kOthers);
  EXPECT_LE(arrivals.entries().size(), static_cast<std::size_t>(TrackedArrivals::kTracked) + 1);
  EXPECT_EQ(arrivals.others() + static_cast<std::int32_t>(arrivals.entries().size()) - 1, 10'240);
}

TEST(TrackedArrivals, dropTheRankWhoseLatestLatenessIsTheOldest) {
  TrackedArrivals arrivals(1000);
  std::vector<Seconds> lateness(1000);
  for (std::size_t rank = 0; rank < 100; ++rank) {
    std::fill(lateness.begin(), lateness.end(), Seconds{});
    for (std::size_t i = 0; i < CallSummary::kNamed; ++i) lateness[8 * rank + i] = {1e-3};
    arrivals.observe(patternOf(lateness));
  }
  const auto entries = arrivals.entries();
  for (std::int32_t rank = 768; rank < 800; ++rank) {
    EXPECT_TRUE(std::any_of(entries.begin(), entries.end(), [rank](const auto& one) { return one.rank == rank; }));
  }
}

// Of 16 equally late ranks only 8 are named in a call, though in each another 8.
TEST(TrackedArrivals, knowMoreLateRanksThanOneCallNames) {
  TrackedArrivals arrivals(64);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> scatter(0.0, 50e-6);
  for (int call = 0; call < 60; ++call) {
    std::vector<Seconds> lateness(64);
    for (std::size_t rank = 0; rank < 64; ++rank) lateness[rank] = {scatter(random) + (rank % 4 == 1 ? 5e-3 : 0.0)};
    arrivals.observe(patternOf(lateness));
  }
  for (std::int32_t rank = 1; rank < 64; rank += 4) {
    EXPECT_NEAR(entryOf(arrivals, rank).predicted.value, 5e-3, 1e-3) << rank;
  }
  EXPECT_LT(arrivals.entries().back().predicted, Seconds{1e-3});
}

TEST(TrackedArrivals, countTheCallsInWhichARankCameLast) {
  for (const std::int32_t ranks : {4, 100}) {
    TrackedArrivals arrivals(ranks);
    std::vector<Seconds> lateness(static_cast<std::size_t>(ranks));
    arrivals.observe(patternOf(lateness));  // nobody is late
    for (int call = 0; call < 5; ++call) {
      lateness[3] = {call < 3 ? 2e-3 : 0.0};
      lateness[1] = {1e-3};
      arrivals.observe(patternOf(lateness));
    }
    EXPECT_EQ(entryOf(arrivals, 3).last, 3);
    EXPECT_EQ(entryOf(arrivals, 1).last, 2);
    arrivals.noteWaitedFor(3, {2e-3});
    arrivals.noteWaitedFor(3, {1e-3});
    arrivals.noteWaitedFor(90, {1e-3});  // who is not there, or not followed
    EXPECT_DOUBLE_EQ(entryOf(arrivals, 3).waited.value, 3e-3);
    EXPECT_EQ(entryOf(arrivals, 1).waited, Seconds{});
    arrivals.restart();
    EXPECT_EQ(entryOf(arrivals, 3).last, 0);
    EXPECT_EQ(entryOf(arrivals, 3).waited, Seconds{});
  }
}

TEST(TrackedArrivals, keepWhatIsPredictedWhenWhatWasSeenBeginsAnew) {
  TrackedArrivals arrivals(4);
  for (int call = 0; call < 5; ++call) arrivals.observe(patternOf({{0.0}, {0.0}, {2e-3}, {0.0}}));
  arrivals.restart();
  EXPECT_EQ(entryOf(arrivals, 2).seen.count(), 0);
  EXPECT_NEAR(entryOf(arrivals, 2).predicted.value, 2e-3, 1e-6);
}

// How late a crowd is after so many calls with these latenesses in seconds, by call and rank.
template <typename LatenessOf>
Seconds crowdAfter(int calls, std::int32_t ranks, LatenessOf latenessOf) {
  TrackedArrivals arrivals(ranks);
  for (int call = 0; call < calls; ++call) {
    std::vector<Seconds> lateness(static_cast<std::size_t>(ranks));
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      lateness[static_cast<std::size_t>(rank)] = Seconds{latenessOf(call, rank)};
    }
    arrivals.observe(patternOf(lateness));
  }
  return arrivals.crowd();
}

TEST(TrackedArrivals, sayHowLateMoreRanksComeThanAreFollowed) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> scatter(0.0, 1.0);
  const auto by_chance = [&](int, std::int32_t) { return 1e-3 * scatter(random); };
  for (const std::int32_t ranks : {64, 128, 1024}) {
    EXPECT_EQ(crowdAfter(1, ranks, by_chance), Seconds{}) << "one call may be late as a whole";
    for (const int calls : {2, 4, 16, 100}) {
      EXPECT_NEAR(crowdAfter(calls, ranks, by_chance).value, 0.75e-3, 0.25e-3) << ranks << " ranks, " << calls;
    }
    const auto last_half = [&](int, std::int32_t rank) {
      return (2 * rank >= ranks ? 1e-3 : 0.0) + 1e-6 * scatter(random);
    };
    const Seconds crowd = crowdAfter(100, ranks, last_half);
    EXPECT_EQ(crowd > Seconds{0.5e-3}, ranks > 64) << ranks << " ranks";
    // The eight that are named are the straggler and seven of the crowd.
    const auto below_straggler = [&](int, std::int32_t rank) {
      return rank == 0 ? 10e-3 : (2 * rank >= ranks ? 4e-3 * (0.95 + 0.1 * scatter(random)) : 0.0);
    };
    EXPECT_EQ(crowdAfter(100, ranks, below_straggler) > Seconds{2e-3}, ranks > 64) << ranks << " ranks";
  }
}

TEST(TrackedArrivals, takeFewLateRanksForNoCrowdWhateverTheOthersDo) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> scatter(0.0, 1.0);
  for (const std::int32_t ranks : {8, 32, 33, 128, 1024}) {
    SCOPED_TRACE(ranks);
    const auto one_late = [&](int call, std::int32_t rank) {
      return (rank == 3 && call % 4 != 0 ? 1e-3 : 0.0) + 50e-6 * scatter(random);
    };
    EXPECT_LT(crowdAfter(100, ranks, one_late), Seconds{50e-6}) << "nobody comes late in each fourth call";
    const auto a_node = [&](int, std::int32_t rank) { return rank / 16 == 1 ? 1e-3 : 50e-6 * scatter(random); };
    EXPECT_LT(crowdAfter(100, ranks, a_node), Seconds{50e-6});
  }
  const auto by_chance = [&](int, std::int32_t) { return 1e-3 * scatter(random); };
  EXPECT_EQ(crowdAfter(100, 32, by_chance), Seconds{}) << "all are followed";
}

}  // namespace
}  // namespace starling
