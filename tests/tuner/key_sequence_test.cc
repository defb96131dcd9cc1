#include "tuner/key_sequence.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace starling {
namespace {

constexpr std::int32_t kRanks = 8;

// One rank is late; latenesses count from the earliest rank.
ArrivalPattern late(std::int32_t rank, double seconds) {
  ArrivalPattern pattern;
  pattern.ranks = kRanks;
  pattern.latest.push_back({rank, Seconds{seconds}});
  for (std::int32_t other = 0; other < kRanks; ++other) {
    if (other != rank) pattern.latest.push_back({other, Seconds{}});
  }
  return pattern;
}

constexpr Seconds kClockError{1e-6};
constexpr Seconds kOtherError{5e-3};

TEST(KeySequence, findsTwoRanksThatTakeTurns) {
  KeySequence sequence;
  for (std::int64_t index = 0; index < 60; ++index) {
    sequence.observe(index, late(index % 2 == 0 ? 2 : 5, 10e-3), kClockError, kOtherError);
  }
  EXPECT_EQ(sequence.cycle().period, 2);
  EXPECT_EQ(sequence.special().latest.front().rank, 5);
  EXPECT_LT(sequence.error(), Seconds{1e-4});
  EXPECT_NEAR(sequence.otherError().value, 5e-3, 1e-3);
}

TEST(KeySequence, findsAnotherLateRankEachTimeWhereAllComeTogetherElse) {
  std::mt19937 random(3);
  KeySequence sequence;
  for (std::int64_t index = 0; index < 200; ++index) {
    const auto rank = static_cast<std::int32_t>(random() % kRanks);
    sequence.observe(index, late(rank, index % 10 == 9 ? 10e-3 : 5e-6), kClockError, kOtherError);
  }
  EXPECT_EQ(sequence.cycle(), (Cycle{.period = 10, .special = std::uint64_t{1} << 9}));
}

TEST(KeySequence, takesLatenessesThatScatterForOneKind) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> scatter(0.7, 1.3);
  KeySequence sequence;
  for (std::int64_t index = 0; index < 100; ++index) {
    sequence.observe(index, late(index % 4 == 0 ? 2 : 5, 10e-3 * scatter(random)), kClockError, kOtherError);
  }
  EXPECT_EQ(sequence.cycle(), (Cycle{.period = 4, .special = 1}));
}

TEST(KeySequence, takesWhatIsLittleBesideSpecialCallsForNoise) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> noise(0.0, 300e-6);
  KeySequence sequence;
  for (std::int64_t index = 0; index < 250; ++index) {
    const auto rank = static_cast<std::int32_t>(random() % kRanks);
    sequence.observe(index, index % 25 == 24 ? late(0, 5e-3) : late(rank, noise(random)), kClockError, kOtherError);
  }
  EXPECT_EQ(sequence.cycle(), (Cycle{.period = 25, .special = std::uint64_t{1} << 24}));
}

TEST(KeySequence, findsNothingWhereRanksAreLateAtRandom) {
  int found = 0;
  for (unsigned run = 0; run < 50; ++run) {
    std::mt19937 random(500 + run);
    std::uniform_real_distribution<double> lateness(0.0, 10e-3);
    KeySequence sequence;
    for (std::int64_t index = 0; index < 500; ++index) {
      const auto rank = static_cast<std::int32_t>(random() % 2);
      sequence.observe(index, late(rank, lateness(random)), kClockError, kOtherError);
    }
    found += sequence.cycle().isNone() ? 0 : 1;
  }
  EXPECT_LE(found, 3) << "of 50 runs, seeds from 500";
}

TEST(KeySequence, leavesToOtherMethodsWhatTheyForecastAsWell) {
  KeySequence sequence;
  for (std::int64_t index = 0; index < 100; ++index) {
    sequence.observe(index, late(index % 2 == 0 ? 2 : 5, 10e-3), kClockError, Seconds{});
  }
  EXPECT_TRUE(sequence.cycle().isNone());
}

TEST(KeySequence, countsAnewAfterCallsThatNobodyCounted) {
  KeySequence sequence;
  const auto observe = [&](std::int64_t index) {
    sequence.observe(index, late(index % 2 == 0 ? 2 : 5, 10e-3), kClockError, kOtherError);
  };
  for (std::int64_t index = 0; index < 60; ++index) observe(index);
  ASSERT_FALSE(sequence.cycle().isNone());
  sequence.forget();
  EXPECT_TRUE(sequence.cycle().isNone());
  for (std::int64_t index = 60; index < 70; ++index) observe(index);
  EXPECT_TRUE(sequence.cycle().isNone());
  for (std::int64_t index = 70; index < 120; ++index) observe(index);
  EXPECT_FALSE(sequence.cycle().isNone());
}

TEST(KeySequence, learnsNothingWhereClocksDoNotCompare) {
  KeySequence sequence;
  for (std::int64_t index = 0; index < 60; ++index) sequence.observe(index, {}, {}, kOtherError);
  EXPECT_TRUE(sequence.cycle().isNone());
}

TEST(Cycle, isDescribed) {
  EXPECT_EQ(describe(Cycle{.period = 2, .special = 1}), "every other call");
  EXPECT_EQ(describe(Cycle{.period = 3, .special = 1}), "every 3rd call");
  EXPECT_EQ(describe(Cycle{.period = 11, .special = 1}), "every 11th call");
  EXPECT_EQ(describe(Cycle{.period = 21, .special = 1}), "every 21st call");
  EXPECT_EQ(describe(Cycle{.period = 42, .special = 1}), "every 42nd call");
  EXPECT_EQ(describe(Cycle{.period = 50, .special = 2}), "every 50th call");
  EXPECT_EQ(describe(Cycle{.period = 5, .special = 0b1001}), "2 of every 5 calls");
}

TEST(KeySequence, looksForNothingWhereAllLatenessesAreNoise) {
  KeySequence sequence;
  for (std::int64_t index = 0; index < 60; ++index) {
    sequence.observe(index, late(index % 2 == 0 ? 2 : 5, 15e-6), kClockError, kOtherError);
  }
  EXPECT_TRUE(sequence.cycle().isNone());
  EXPECT_EQ(sequence.otherError(), Seconds{}) << "nothing was forecast";
  for (std::int64_t index = 60; index < 120; ++index) {
    sequence.observe(index, late(index % 2 == 0 ? 2 : 5, 60e-6), kClockError, kOtherError);
  }
  EXPECT_EQ(sequence.cycle().period, 2);
}

}  // namespace
}  // namespace starling
