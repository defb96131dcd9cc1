#include "tuner/measured_choices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace starling {
namespace {

Choice withSegments(std::size_t segments) { return parseChoice("slt:segments=" + std::to_string(segments)).value(); }

CallTimes taking(double seconds) {
  CallTimes times;
  times.elapsed = times.compared = times.net = {seconds};
  return times;
}

std::vector<double> constant(std::size_t n, double value) { return std::vector<double>(n, value); }

TEST(CompareTimes, findsNothingFasterWithoutTimes) {
  EXPECT_FALSE(compareTimes({}, constant(3, 1.0)).faster);
  EXPECT_FALSE(compareTimes(constant(3, 1.0), {}).faster);
}

TEST(CompareTimes, asksForMoreThanThreePercentEvenWithoutScatter) {
  const std::vector<double> incumbent = constant(12, 100.0);
  EXPECT_FALSE(compareTimes(incumbent, constant(3, 97.1)).faster);
  EXPECT_TRUE(compareTimes(incumbent, constant(3, 96.9)).faster);
  EXPECT_FALSE(compareTimes(incumbent, constant(3, 103.1)).faster) << "slower is not faster";
  EXPECT_DOUBLE_EQ(compareTimes(incumbent, constant(3, 90.0)).margin, 3.0);
}

TEST(CompareTimes, asksForMoreThanTheErrorOfTheClocks) {
  const std::vector<double> incumbent = constant(3, 100.0);
  EXPECT_FALSE(compareTimes(incumbent, constant(3, 90.0), 20.0).faster);
  EXPECT_TRUE(compareTimes(incumbent, constant(3, 79.0), 20.0).faster);
}

TEST(MeasuredChoices, areComparedByTheErrorOfTheirTimes) {
  MeasuredChoices choices;
  const Choice other = withSegments(4);
  CallTimes fast = taking(90.0);
  for (const double error : {0.0, 20.0}) {
    choices.observe(Choice{}, taking(100.0), true);
    fast.compared_error = {error};
    choices.observe(other, fast, true);
    EXPECT_EQ(MeasuredChoices::compare(choices.native(), *choices.find(other)).faster, error == 0.0);
  }
  choices.forgetFormerTimes(other);
  fast.compared_error = {};
  choices.observe(other, fast, true);
  EXPECT_TRUE(MeasuredChoices::compare(choices.native(), *choices.find(other)).faster) << "the error is forgotten, too";
}

TEST(CompareTimes, asksForMoreThanTwiceTheStandardErrorOfTheDifference) {
  // Median 100 and median distance 10, hence a robust deviation of 14.826.
  const std::vector<double> incumbent = {80.0, 90.0, 100.0, 110.0, 120.0};
  const double margin = 2.0 * 14.826 * std::sqrt(1.0 / 5.0 + 1.0 / 4.0);
  EXPECT_NEAR(compareTimes(incumbent, constant(4, 50.0)).margin, margin, 1e-9);
  EXPECT_FALSE(compareTimes(incumbent, constant(4, 100.1 - margin)).faster);
  EXPECT_TRUE(compareTimes(incumbent, constant(4, 99.9 - margin)).faster);
}

TEST(CompareTimes, asksForLessWhenMoreWasMeasured) {
  const std::vector<double> few = {90.0, 100.0, 110.0};
  std::vector<double> many;
  for (int i = 0; i < 20; ++i) many.insert(many.end(), few.begin(), few.end());
  EXPECT_LT(compareTimes(many, constant(30, 80.0)).margin, compareTimes(few, constant(3, 80.0)).margin);
}

TEST(CompareTimes, isNotMovedByOneOutlier) {
  const Comparison comparison =
      compareTimes(std::vector<double>{100.0, 101.0, 99.0, 100.0, 5000.0}, std::vector<double>{80.0, 81.0, 9000.0});
  EXPECT_DOUBLE_EQ(comparison.incumbent, 100.0);
  EXPECT_DOUBLE_EQ(comparison.challenger, 81.0);
  EXPECT_TRUE(comparison.faster);
}

TEST(CompareTimes, takesTheSmallerOfTwoBecauseAFirstCallOpensConnections) {
  EXPECT_DOUBLE_EQ(compareTimes(constant(5, 100.0), std::vector<double>{300.0, 80.0}).challenger, 80.0);
}

// How often one challenger is found faster than twelve calls of an incumbent that is as fast.
double shareFoundFaster(std::size_t challenger_calls, double scatter, unsigned seed) {
  constexpr int kRepetitions = 4000;
  std::mt19937 random(seed);
  std::lognormal_distribution<double> time(0.0, scatter);
  int found = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    std::vector<double> incumbent(12);
    std::vector<double> challenger(challenger_calls);
    for (double& one : incumbent) one = time(random);
    for (double& one : challenger) one = time(random);
    found += compareTimes(incumbent, challenger).faster ? 1 : 0;
  }
  return static_cast<double>(found) / kRepetitions;
}

TEST(CompareTimes, seldomFindsAChallengerFasterThatIsNot) {
  constexpr unsigned kSeed = 20;
  for (const double scatter : {0.02, 0.1, 0.3}) {
    for (const std::size_t calls : {3, 4, 8}) {
      EXPECT_LT(shareFoundFaster(calls, scatter, kSeed), 0.10) << calls << " calls, seed " << kSeed;
    }
    // The smaller of two is low by itself.
    EXPECT_LT(shareFoundFaster(2, scatter, kSeed), 0.25) << "seed " << kSeed;
  }
}

TEST(MeasuredChoices, knowNativeAfterThreeCalls) {
  MeasuredChoices choices;
  EXPECT_FALSE(choices.medianOf(Choice{}));
  for (int call = 0; call < 3; ++call) {
    EXPECT_FALSE(choices.isNativeKnown());
    choices.observe(Choice{}, taking(1.0 + call), true);
  }
  EXPECT_TRUE(choices.isNativeKnown());
  EXPECT_EQ(choices.medianOf(Choice{}), 2.0);
  EXPECT_EQ(choices.native().samples, 3);
}

TEST(MeasuredChoices, findNoLossUntilNativeIsKnown) {
  MeasuredChoices choices;
  for (int call = 0; call < 3; ++call) choices.observe(withSegments(4), taking(100.0), true);
  for (int call = 0; call < 3; ++call) {
    EXPECT_FALSE(choices.lossOf(withSegments(4), 3));
    choices.observe(Choice{}, taking(1.0), true);
  }
  ASSERT_TRUE(choices.lossOf(withSegments(4), 3));
  EXPECT_EQ(choices.lossOf(withSegments(4), 3)->shortest, 100.0);
  EXPECT_EQ(choices.lossOf(withSegments(4), 3)->native, 1.0);
  EXPECT_FALSE(choices.lossOf(withSegments(4), 4)) << "there are three";
  EXPECT_FALSE(choices.lossOf(withSegments(4), 0));
  EXPECT_FALSE(choices.lossOf(withSegments(5), 1));
}

TEST(MeasuredChoices, findALossWhereAllOfTheLatestTakeMoreThanTwiceWhatNativeTakes) {
  MeasuredChoices choices;
  for (const double time : {1.0, 1.0, 90.0}) choices.observe(Choice{}, taking(time), true);
  for (const double time : {0.5, 2.1, 1.9, 2.1}) choices.observe(withSegments(4), taking(time), true);
  EXPECT_FALSE(choices.lossOf(withSegments(4), 3));
  choices.observe(withSegments(4), taking(2.1), true);
  EXPECT_FALSE(choices.lossOf(withSegments(4), 3));
  choices.observe(withSegments(4), taking(2.1), true);
  EXPECT_TRUE(choices.lossOf(withSegments(4), 3));
}

TEST(MeasuredChoices, findALossInWhateverArrangement) {
  MeasuredChoices choices;
  for (int call = 0; call < 3; ++call) choices.observe(Choice{}, taking(1.0), true);
  for (int call = 0; call < 3; ++call) {
    choices.observe(withSegments(4), taking(3.0), call == 2);
    choices.forgetArrangement(withSegments(4));
  }
  EXPECT_FALSE(choices.medianOf(withSegments(4)));
  EXPECT_TRUE(choices.lossOf(withSegments(4), 3));
}

TEST(MeasuredChoices, forgetFormerTimesButThoseThatNativeTookLast) {
  MeasuredChoices choices;
  for (int call = 0; call < 9; ++call) choices.observe(Choice{}, taking(1.0), true);
  for (int call = 0; call < 3; ++call) choices.observe(withSegments(4), taking(5.0), true);
  EXPECT_FALSE(choices.nativeIsAsSlow(5.0));
  for (int call = 0; call < 3; ++call) choices.observe(Choice{}, taking(4.0), true);
  EXPECT_TRUE(choices.nativeIsAsSlow(5.0));
  EXPECT_FALSE(choices.nativeIsAsSlow(8.1));
  choices.forgetFormerTimes(withSegments(4));
  EXPECT_EQ(choices.medianOf(Choice{}), 4.0);
  EXPECT_FALSE(choices.medianOf(withSegments(4)));
  EXPECT_FALSE(choices.lossOf(withSegments(4), 1));
}

TEST(MeasuredChoices, keepTheLatestTimesOfChoicesThatAreUsed) {
  MeasuredChoices choices;
  choices.observe(Choice{}, taking(1.0), true);
  choices.setPredicted(withSegments(1), Seconds{7.0});
  for (std::size_t i = 2; i < 1000; ++i) {
    choices.observe(withSegments(i), taking(1.0), true);
    choices.observe(withSegments(1), taking(static_cast<double>(i)), true);
  }
  EXPECT_EQ(choices.native().samples, 1) << "it is never forgotten";
  ASSERT_NE(choices.find(withSegments(1)), nullptr);
  EXPECT_EQ(choices.find(withSegments(1))->predicted.value, 7.0);
  EXPECT_EQ(choices.find(withSegments(1))->net.size(), MeasuredChoices::kKeptSamples);
  EXPECT_EQ(choices.find(withSegments(1))->net.back(), 999.0);
  std::size_t known = 0;
  for (std::size_t i = 1; i < 1000; ++i) known += choices.find(withSegments(i)) != nullptr ? 1 : 0;
  EXPECT_EQ(known + 1, MeasuredChoices::kMaxChoices);
}

}  // namespace
}  // namespace starling
