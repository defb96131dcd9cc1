#include "estimators/repeating_sequence.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace starling {
namespace {

constexpr std::uint8_t kUsual = 3;
constexpr std::uint8_t kOther = 5;

using IsSpecial = std::function<bool(std::int64_t)>;

IsSpecial everyCall(std::int64_t period, std::int64_t place) {
  return [=](std::int64_t index) { return index % period == place; };
}

// Observes the calls from `begin` to before `end`.
void observe(RepeatingSequence& sequence, std::int64_t begin, std::int64_t end, const IsSpecial& is_special) {
  for (std::int64_t index = begin; index < end; ++index) sequence.observe(index, is_special(index) ? kOther : kUsual);
}

TEST(Cycle, isSoundWhenSomeCallsOfAPeriodAreSpecialAndSomeAreNot) {
  EXPECT_TRUE(Cycle{}.isSound());
  EXPECT_TRUE((Cycle{.period = 2, .special = 0b10}).isSound());
  EXPECT_TRUE((Cycle{.period = 64, .special = ~std::uint64_t{1}}).isSound());
  EXPECT_FALSE((Cycle{.period = 0, .special = 1}).isSound());
  EXPECT_FALSE((Cycle{.period = 1, .special = 1}).isSound());
  EXPECT_FALSE((Cycle{.period = 65, .special = 1}).isSound());
  EXPECT_FALSE((Cycle{.period = -2, .special = 1}).isSound());
  EXPECT_FALSE((Cycle{.period = 4, .special = 0}).isSound());
  EXPECT_FALSE((Cycle{.period = 4, .special = 0b1111}).isSound());
  EXPECT_FALSE((Cycle{.period = 4, .special = 0b10001}).isSound());
}

TEST(Cycle, tellsSpecialCallsByTheirIndex) {
  const Cycle cycle{.period = 5, .special = 0b10010};
  EXPECT_EQ(cycle.specialCalls(), 2);
  for (std::int64_t index = 0; index < 50; ++index) {
    EXPECT_EQ(cycle.isSpecial(index), index % 5 == 1 || index % 5 == 4) << index;
  }
  EXPECT_FALSE(Cycle{}.isSpecial(7));
}

TEST(RepeatingSequence, findsEachPeriodAfterAFewRepetitions) {
  for (std::int64_t period = 2; period <= Cycle::kLongest; ++period) {
    RepeatingSequence sequence;
    std::int64_t index = 0;
    for (; sequence.cycle().isNone() && index < 1000; ++index)
      observe(sequence, index, index + 1, everyCall(period, 1));
    EXPECT_EQ(sequence.cycle().period, period);
    EXPECT_EQ(sequence.cycle().special, 0b10U);
    EXPECT_LE(index, 6 * period + 20) << "of period " << period;
    EXPECT_GT(index, 3 * period) << "of period " << period;
    observe(sequence, index, index + 1000, everyCall(period, 1));
    EXPECT_EQ(sequence.cycle().period, period) << "no multiple of it";
    EXPECT_EQ(sequence.cycle().special, 0b10U);
  }
}

TEST(RepeatingSequence, findsSeveralSpecialCallsOfAPeriod) {
  RepeatingSequence sequence;
  observe(sequence, 0, 200, [](std::int64_t index) { return index % 7 == 2 || index % 7 == 3; });
  EXPECT_EQ(sequence.cycle(), (Cycle{.period = 7, .special = 0b1100}));
}

TEST(RepeatingSequence, forecastsFromTheFirstRepetitionOn) {
  RepeatingSequence sequence;
  EXPECT_FALSE(sequence.forecast(0).has_value());
  observe(sequence, 0, 60, everyCall(10, 9));
  EXPECT_EQ(sequence.forecast(69), true);
  EXPECT_EQ(sequence.forecast(68), false);
}

TEST(RepeatingSequence, findsThePeriodWhereOnlySomeCallsAreKnown) {
  std::mt19937 random(7);
  RepeatingSequence sequence;
  std::int64_t index = 0;
  for (; sequence.cycle().isNone() && index < 10'000; ++index) {
    if (random() % 4 == 0) sequence.observe(index, index % 12 == 5 ? kOther : kUsual);
  }
  EXPECT_EQ(sequence.cycle(), (Cycle{.period = 12, .special = std::uint64_t{1} << 5}));
  EXPECT_LT(index, 1000);
}

TEST(RepeatingSequence, findsNothingWhereAllCallsAreAlike) {
  RepeatingSequence sequence;
  observe(sequence, 0, 5000, [](std::int64_t) { return false; });
  EXPECT_TRUE(sequence.cycle().isNone());
}

// Calls that are special by chance, as often as `share` says.
int runsWithACycle(double share, int runs) {
  int found = 0;
  for (int run = 0; run < runs; ++run) {
    std::mt19937 random(1000 + static_cast<unsigned>(run));
    std::bernoulli_distribution is_special(share);
    RepeatingSequence sequence;
    bool has_found = false;
    for (std::int64_t index = 0; index < 1000; ++index) {
      sequence.observe(index, is_special(random) ? kOther : kUsual);
      has_found = has_found || !sequence.cycle().isNone();
    }
    found += has_found ? 1 : 0;
  }
  return found;
}

TEST(RepeatingSequence, findsHardlyEverACycleInWhatComesByChance) {
  for (const double share : {0.02, 0.1, 0.5, 0.9}) {
    EXPECT_LE(runsWithACycle(share, 100), 5) << "of 100 runs of 1000 calls, seeds from 1000, special: " << share;
  }
}

TEST(RepeatingSequence, standsACallThatIsHeldUpByChance) {
  RepeatingSequence sequence;
  const auto held_up = [](std::int64_t index) { return index % 10 == 4 || index == 77 || index == 333; };
  observe(sequence, 0, 150, held_up);
  for (std::int64_t index = 150; index < 500; ++index) {
    observe(sequence, index, index + 1, held_up);
    EXPECT_EQ(sequence.cycle(), (Cycle{.period = 10, .special = 0b10000})) << index;
  }
}

TEST(RepeatingSequence, dropsACycleThatEnds) {
  for (const std::int64_t period : {2, 10, 50}) {
    RepeatingSequence sequence;
    observe(sequence, 0, 10 * period + 40, everyCall(period, 1));
    ASSERT_FALSE(sequence.cycle().isNone());
    observe(sequence, 10 * period + 40, 14 * period + 80, [](std::int64_t) { return false; });
    EXPECT_TRUE(sequence.cycle().isNone()) << "of period " << period;
  }
}

TEST(RepeatingSequence, followsACallMore) {
  RepeatingSequence sequence;
  observe(sequence, 0, 400, everyCall(20, 6));
  observe(sequence, 400, 600, everyCall(20, 7));
  EXPECT_EQ(sequence.cycle(), (Cycle{.period = 20, .special = 0b10000000}));
}

TEST(RepeatingSequence, findsAnotherPeriodAfterTheFirst) {
  RepeatingSequence sequence;
  observe(sequence, 0, 400, everyCall(20, 6));
  observe(sequence, 400, 800, everyCall(2, 1));
  EXPECT_EQ(sequence.cycle().period, 2);
}

TEST(RepeatingSequence, beginsAnewWhereAnIndexDoesNotComeAfterTheOneBefore) {
  RepeatingSequence sequence;
  observe(sequence, 0, 100, everyCall(2, 1));
  ASSERT_FALSE(sequence.cycle().isNone());
  sequence.observe(50, kUsual);
  EXPECT_TRUE(sequence.cycle().isNone());
  observe(sequence, 51, 100, everyCall(2, 1));
  ASSERT_FALSE(sequence.cycle().isNone());
  sequence.observe(100'001, kOther);
  EXPECT_TRUE(sequence.cycle().isNone()) << "nothing is remembered of the calls before";
  sequence.forget();
  EXPECT_TRUE(sequence.cycle().isNone());
}

TEST(RepeatingSequence, keepsItsCycleWhereTheUsualKindChangesPlaces) {
  RepeatingSequence sequence;
  // The calls that are looked at at first make the rarer kind the usual one.
  std::int64_t index = 0;
  for (; index < 30; ++index) sequence.observe(index, index % 3 == 0 ? 1 : 0);
  for (; index < 60; index += 3) sequence.observe(index, 1);
  ASSERT_EQ(sequence.usualKind(), 1);
  ASSERT_EQ(sequence.cycle().period, 3);
  for (; index < 300 && sequence.usualKind() == 1; ++index) {
    EXPECT_EQ(sequence.cycle().period, 3) << index;
    if (index % 3 != 0) sequence.observe(index, 0);
  }
  ASSERT_EQ(sequence.usualKind(), 0);
  EXPECT_EQ(sequence.cycle().period, 3);
  EXPECT_TRUE(sequence.cycle().isSpecial(300));
  EXPECT_FALSE(sequence.cycle().isSpecial(301));
}

TEST(RepeatingSequence, takesTheMostFrequentKindForTheUsualOne) {
  RepeatingSequence sequence;
  for (std::int64_t index = 0; index < 200; ++index) sequence.observe(index, index % 9 == 0 ? kOther : kUsual);
  EXPECT_EQ(sequence.usualKind(), kUsual) << "though the first call was of the other";
  EXPECT_EQ(sequence.cycle(), (Cycle{.period = 9, .special = 1}));
}

}  // namespace
}  // namespace starling
