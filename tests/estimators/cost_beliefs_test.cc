#include "estimators/cost_beliefs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>

namespace starling {
namespace {

constexpr double kCommon = 0.4;
constexpr double kOwn = 0.2;

CostBeliefs twoArms(double difference = 0.0) {
  CostBeliefs beliefs(kCommon);
  beliefs.add(1.0, kOwn);
  beliefs.add(1.0 + difference, kOwn);
  return beliefs;
}

TEST(CostBeliefs, goOnAsTheyWereWhereACopyLearnsMore) {
  CostBeliefs beliefs = twoArms();
  beliefs.observe(0, 1.2);
  CostBeliefs copy(beliefs);
  EXPECT_EQ(copy.cost(0), beliefs.cost(0));
  EXPECT_EQ(copy.deviationBetween(0, 1), beliefs.deviationBetween(0, 1));
  const double before = beliefs.cost(0);
  copy.observe(0, 1.5);
  EXPECT_GT(copy.cost(0), before);
  EXPECT_EQ(beliefs.cost(0), before);
}

TEST(CostBeliefs, startWithWhatIsPredicted) {
  const CostBeliefs beliefs = twoArms(0.5);
  EXPECT_EQ(beliefs.size(), 2U);
  EXPECT_DOUBLE_EQ(beliefs.cost(0), 1.0);
  EXPECT_DOUBLE_EQ(beliefs.cost(1), 1.5);
  EXPECT_NEAR(beliefs.deviation(0), std::hypot(kCommon, kOwn), 1e-12);
  EXPECT_NEAR(beliefs.deviationBetween(0, 1), std::hypot(kOwn, kOwn), 1e-12) << "what is common cancels";
  // Half a unit is 1.77 deviations of the difference.
  EXPECT_NEAR(beliefs.probabilityOfLess(0, 1), 0.9615, 1e-3);
  EXPECT_NEAR(beliefs.probabilityOfLess(1, 0), 0.0385, 1e-3);
}

TEST(CostBeliefs, learnOfAllArmsFromOne) {
  CostBeliefs beliefs = twoArms();
  for (int i = 0; i < 20; ++i) beliefs.observe(0, 1.5);
  EXPECT_NEAR(beliefs.cost(0), 1.5, 0.02);
  // Of what an arm is off by, so much is common to all: 0.16 of 0.2.
  EXPECT_NEAR(beliefs.cost(1), 1.0 + 0.5 * 0.8, 0.03);
  EXPECT_LT(beliefs.deviation(0), 0.1);
  EXPECT_GT(beliefs.deviation(1), kOwn) << "its own error is not known";
}

TEST(CostBeliefs, findTheMeanOfManyNoisyMeasurements) {
  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  std::normal_distribution<double> noise(0.0, 0.3);
  CostBeliefs beliefs = twoArms();
  for (int i = 0; i < 200; ++i) beliefs.observe(0, 1.2 + noise(random));
  EXPECT_NEAR(beliefs.cost(0), 1.2, 0.1) << "seed " << kSeed;
  EXPECT_NEAR(beliefs.noise(0), 0.3, 0.08);
}

TEST(CostBeliefs, areNotMovedFarByOneOutlier) {
  CostBeliefs beliefs = twoArms();
  for (int i = 0; i < 20; ++i) beliefs.observe(0, 1.0);
  EXPECT_FALSE(beliefs.observe(0, 1.0 + std::log(10.0)));
  EXPECT_LT(beliefs.cost(0), 1.1);
}

TEST(CostBeliefs, noticeAChangeAfterAFewMeasurements) {
  CostBeliefs beliefs = twoArms();
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(beliefs.observe(0, i % 2 == 0 ? 1.05 : 0.95));
  int calls = 1;
  while (!beliefs.observe(0, 1.7) && calls < 50) ++calls;
  EXPECT_LE(calls, 4);
  for (int i = 0; i < 3; ++i) beliefs.observe(0, 1.7);
  EXPECT_NEAR(beliefs.cost(0), 1.7, 0.05);
  EXPECT_GT(beliefs.cost(1), 1.1) << "the other one may cost more now, too";
  EXPECT_GT(beliefs.deviationBetween(0, 1), 0.3) << "or not";
}

TEST(CostBeliefs, noticeNoChangeInNoise) {
  constexpr unsigned kSeed = 3;
  std::mt19937 random(kSeed);
  std::normal_distribution<double> noise(0.0, 0.1);
  CostBeliefs beliefs = twoArms();
  int changes = 0;
  for (int i = 0; i < 5000; ++i) changes += beliefs.observe(0, 1.0 + noise(random)) ? 1 : 0;
  EXPECT_LE(changes, 2) << "seed " << kSeed;
}

TEST(CostBeliefs, learnHowFarEachArmScatters) {
  constexpr unsigned kSeed = 11;
  std::mt19937 random(kSeed);
  std::normal_distribution<double> unit;
  CostBeliefs beliefs = twoArms();
  for (int i = 0; i < 200; ++i) {
    beliefs.observe(0, 1.0 + 0.02 * unit(random));
    beliefs.observe(1, 1.0 + 0.3 * unit(random));
  }
  EXPECT_LT(beliefs.noise(0), 0.1) << "seed " << kSeed;
  EXPECT_GT(beliefs.noise(1), 0.2) << "seed " << kSeed;
  EXPECT_LT(beliefs.deviation(0), beliefs.deviation(1));
  // Other arrivals make it another arm, which suffers as much.
  beliefs.shift(1, 0.1, 0.1);
  EXPECT_GT(beliefs.noise(1), 0.2) << "seed " << kSeed;
}

TEST(CostBeliefs, areLessSureOfAnArmThatIsExpectedToScatter) {
  CostBeliefs beliefs(0.4);
  beliefs.add(0.0, 0.25);
  beliefs.add(0.0, 0.25);
  beliefs.add(0.0, 0.25);
  beliefs.setScatter(2, 2.0);
  EXPECT_DOUBLE_EQ(beliefs.noise(2), 2.0 * beliefs.noise(1));
  for (int i = 0; i < 8; ++i) beliefs.observe(0, 0.0);
  for (const std::size_t arm : {1, 2}) {
    for (int i = 0; i < 2; ++i) beliefs.observe(arm, -0.2);
  }
  EXPECT_LT(beliefs.probabilityOfLess(2, 0), beliefs.probabilityOfLess(1, 0));
}

TEST(CostBeliefs, scaleWhatIsKnownOfHowFarAnArmScatters) {
  CostBeliefs beliefs(0.4);
  beliefs.add(0.0, 0.25);
  beliefs.add(0.0, 0.25);
  for (int i = 0; i < 40; ++i) beliefs.observe(1, i % 2 == 0 ? 0.05 : -0.05);
  const double before = beliefs.noise(1);
  beliefs.setScatter(1, 2.0);
  EXPECT_DOUBLE_EQ(beliefs.noise(1), 2.0 * before);
  beliefs.setScatter(1, 1.0);
  EXPECT_DOUBLE_EQ(beliefs.noise(1), before);
}

TEST(CostBeliefs, doNotTakeADisturbanceThatIsKnownForNoise) {
  CostBeliefs beliefs = twoArms();
  for (int i = 0; i < 20; ++i) {
    beliefs.observe(0, 1.0);
    beliefs.observe(0, 2.0, 1.5);
  }
  EXPECT_LT(beliefs.noise(0), 0.1);
  EXPECT_NEAR(beliefs.cost(0), 1.0, 0.05);
}

TEST(CostBeliefs, learnLessFromAFirstMeasurement) {
  CostBeliefs first = twoArms();
  CostBeliefs later = twoArms();
  first.observeFirst(0, 1.5);
  later.observe(0, 1.5);
  EXPECT_LT(first.cost(0), later.cost(0));
  EXPECT_GT(first.deviation(0), later.deviation(0));
}

// It may have been slow for that alone, or may be as fast as that: nothing makes it faster than it is.
TEST(CostBeliefs, takeAFirstMeasurementForTheMostThatOthersWillBe) {
  for (const double measured : {-0.5, 0.0, 0.5, 1.0, 3.0}) {
    CostBeliefs beliefs(0.1);
    beliefs.add(1.0, 0.5);
    const double before = beliefs.cost(0);
    const double deviation = beliefs.deviation(0);
    beliefs.observeFirst(0, measured);
    if (measured > before) {
      EXPECT_LT(beliefs.cost(0), before + 0.8 * (measured - before)) << measured;
    } else if (measured < before) {
      EXPECT_LT(beliefs.cost(0), measured + 0.01);
      EXPECT_GT(beliefs.deviation(0), 0.08) << measured << ": more than noise";
    }
    EXPECT_LT(beliefs.deviation(0), 0.97 * deviation) << measured;
  }
}

// A first call that was held up for long says little of others, and nothing of other first calls.
TEST(CostBeliefs, believeNoMoreOfAFirstMeasurementThanOfOthers) {
  CostBeliefs beliefs(0.4);
  for (int arm = 0; arm < 3; ++arm) beliefs.add(1.0, 0.3);
  beliefs.observeFirst(0, 9.0);
  EXPECT_LT(beliefs.cost(0), 2.6);
  EXPECT_LT(beliefs.cost(1), 2.2);
  const double others = beliefs.cost(2);
  beliefs.observe(0, 1.0);
  beliefs.observe(0, 1.0);
  EXPECT_LT(beliefs.cost(1), others);
  const double before = beliefs.cost(1);
  beliefs.observeFirst(1, before + 1.5);
  EXPECT_GT(beliefs.cost(1), before + 0.1) << "first calls are not taken to be as long as that one";
}

// Where first measurements took as long as those after them they tell as much.
TEST(CostBeliefs, learnByHowMuchFirstMeasurementsAreLonger) {
  for (const double longer : {0.0, 1.0}) {
    for (const std::size_t arms : {5, 60}) {
      CostBeliefs beliefs(0.1);
      for (std::size_t arm = 0; arm < arms; ++arm) beliefs.add(1.0, 0.5);
      beliefs.add(1.0, 0.5);
      beliefs.addApart(1.0, 1.0);
      for (std::size_t arm = 0; arm < arms; ++arm) {
        beliefs.observeFirst(arm, 1.0 + longer);
        beliefs.observe(arm, 1.0);
      }
      for (const std::size_t last : {arms, arms + 1}) {
        beliefs.observeFirst(last, 1.2 + longer);
        EXPECT_NEAR(beliefs.cost(last), longer == 0.0 ? 1.15 : 1.4, longer == 0.0 ? 0.08 : 0.25)
            << arms << ", " << last;
      }
    }
  }
}

TEST(CostBeliefs, compareAFirstMeasurementWithTheNextOneAlone) {
  const auto told = [](int calls) {
    CostBeliefs beliefs = twoArms();
    beliefs.observeFirst(0, 1.0);
    for (int i = 0; i < calls; ++i) beliefs.observe(0, 1.0);
    const double before = beliefs.cost(1);
    beliefs.observeFirst(1, before + 0.5);
    return beliefs.cost(1) - before;
  };
  EXPECT_NEAR(told(40), told(1), 0.1);
}

TEST(CostBeliefs, knowOfAnArmWhatWasFoundOfOneThatIsLikeIt) {
  CostBeliefs beliefs(0.4);
  beliefs.add(1.0, 0.5);
  beliefs.add(1.0, 0.5);
  EXPECT_EQ(beliefs.addLike(0, 1.1, 0.1), 2U);
  EXPECT_NEAR(beliefs.deviationBetween(2, 0), 0.1, 1e-9);
  EXPECT_NEAR(beliefs.deviationBetween(2, 1), std::hypot(beliefs.deviationBetween(0, 1), 0.1), 1e-9);
  EXPECT_NEAR(beliefs.deviation(2), std::hypot(beliefs.deviation(0), 0.1), 1e-9);
  for (int i = 0; i < 20; ++i) beliefs.observe(0, 0.2);
  EXPECT_NEAR(beliefs.cost(2), 0.3, 0.05);
  EXPECT_GT(beliefs.cost(1), 0.5) << "which has only the common error";
}

TEST(CostBeliefs, knowLessOfWhatWasMeasuredLongAgo) {
  CostBeliefs beliefs = twoArms();
  for (int i = 0; i < 20; ++i) beliefs.observe(0, 1.0);
  for (int i = 0; i < 20; ++i) beliefs.observe(1, 1.3);
  const double before = beliefs.deviationBetween(0, 1);
  beliefs.age(1000);
  EXPECT_GT(beliefs.deviationBetween(0, 1), before);
  EXPECT_GT(beliefs.expectedGain(1, 0, 1, 0.02), 0.0);
}

TEST(CostBeliefs, areNeverWithoutAnyKnowledgeNorWithoutDoubt) {
  CostBeliefs beliefs = twoArms();
  for (int burst = 0; burst < 5000; ++burst) {
    for (int i = 0; i < 8; ++i) beliefs.observe(0, burst % 2 == 0 ? 1.0 : 3.0);
    beliefs.age(1000);
  }
  EXPECT_LE(beliefs.deviation(1), 1.0 + 1e-9);
  for (int i = 0; i < 10'000; ++i) beliefs.observe(0, 1.0);
  EXPECT_GT(beliefs.noise(0), 1e-3) << "there is some, however equal the latest were";
  EXPECT_GT(beliefs.deviation(0), 0.0);
}

TEST(CostBeliefs, takeAMeasurementInPlaceOfAllThatWasKnown) {
  CostBeliefs beliefs = twoArms();
  for (int i = 0; i < 20; ++i) beliefs.observe(0, 1.0);
  beliefs.observeAnew(0, -2.0);
  EXPECT_DOUBLE_EQ(beliefs.cost(0), -2.0);
  EXPECT_NEAR(beliefs.deviation(0), beliefs.noise(0), 1e-12);
  const double other = beliefs.cost(1);
  beliefs.shiftAll(0.5);
  EXPECT_DOUBLE_EQ(beliefs.cost(0), -1.5);
  EXPECT_DOUBLE_EQ(beliefs.cost(1), other + 0.5);
}

TEST(CostBeliefs, knowNothingOfOthersFromAMeasurementThatTakesThePlaceOfAll) {
  CostBeliefs beliefs = twoArms();
  const double other = beliefs.cost(1);
  beliefs.observeAnew(0, -2.0);
  EXPECT_NEAR(beliefs.deviationBetween(0, 1), std::hypot(beliefs.deviation(0), beliefs.deviation(1)), 1e-12);
  beliefs.observe(0, -1.5);
  EXPECT_DOUBLE_EQ(beliefs.cost(1), other);
}

TEST(CostBeliefs, expectAGainOfWhatIsUncertainOnly) {
  CostBeliefs beliefs = twoArms(0.2);
  const double before = beliefs.expectedGain(1, 0, 1, 0.02);
  EXPECT_GT(before, 0.0);
  EXPECT_GT(beliefs.expectedGain(1, 0, 8, 0.02), before) << "eight measurements tell more";
  EXPECT_LT(beliefs.expectedGain(1, 0, 1, 0.2), before);
  for (int i = 0; i < 50; ++i) {
    beliefs.observe(0, 1.0);
    beliefs.observe(1, 1.2);
  }
  EXPECT_LT(beliefs.expectedGain(1, 0, 8, 0.02), before / 100.0);
}

TEST(CostBeliefs, takeWhatIsKnownFromElsewhere) {
  CostBeliefs beliefs = twoArms();
  beliefs.observeDifference(1, 0, -0.4, 0.05);
  EXPECT_NEAR(beliefs.cost(1) - beliefs.cost(0), -0.4, 0.02);
  EXPECT_NEAR(0.5 * (beliefs.cost(0) + beliefs.cost(1)), 1.0, 1e-9) << "nothing is known of both";
  beliefs.observeCost(0, 2.0, 0.05);
  EXPECT_NEAR(beliefs.cost(0), 2.0, 0.05);
}

TEST(CostBeliefs, knowLessOfAnArmThatIsAnotherOneNow) {
  CostBeliefs beliefs = twoArms();
  for (int i = 0; i < 20; ++i) beliefs.observe(0, 1.0);
  const double before = beliefs.deviation(0);
  beliefs.shift(0, -0.3, 0.1);
  EXPECT_NEAR(beliefs.cost(0), 0.7, 0.01);
  EXPECT_NEAR(beliefs.deviation(0), std::hypot(before, 0.1), 1e-9);
}

// Wherever it stands among them.
TEST(CostBeliefs, learnNothingFromOthersOfAnArmApart) {
  for (std::size_t apart = 0; apart < 4; ++apart) {
    CostBeliefs beliefs(1.0);
    for (std::size_t i = 0; i < 4; ++i) i == apart ? beliefs.addApart(1.0, 0.5) : beliefs.add(1.0, 0.25);
    EXPECT_DOUBLE_EQ(beliefs.deviation(apart), 0.5);
    const std::size_t other = (apart + 1) % 4;
    for (int i = 0; i < 20; ++i) beliefs.observe(other, 2.0);
    beliefs.shiftAll(0.3);
    EXPECT_DOUBLE_EQ(beliefs.cost(apart), 1.0) << apart;
    EXPECT_GT(beliefs.cost((apart + 2) % 4), 2.0) << apart;
    for (int i = 0; i < 20; ++i) beliefs.observe(apart, 0.5);
    EXPECT_NEAR(beliefs.cost(apart), 0.5, 0.05) << apart;
    EXPECT_NEAR(beliefs.cost(other), 2.3, 0.05) << apart;
  }
}

// The second arm is disturbed for three measurements of each sixty. What it then says of the first one does not last.
TEST(CostBeliefs, takeBackWhatADisturbanceSaidOfOthers) {
  for (const double longer : {1.0, 3.0, 6.0}) {
    std::mt19937 random(7);
    std::normal_distribution<double> noise(0.0, 0.1);
    CostBeliefs beliefs(0.4);
    beliefs.add(0.0, 0.5);
    beliefs.addApart(-0.5, 0.8);
    for (int i = 0; i < 8; ++i) beliefs.observe(0, noise(random));
    beliefs.observeFirst(1, -0.5 + noise(random));
    int changes = 0;
    for (int i = 0; i < 1200; ++i) {
      const bool is_disturbed = i % 60 < 3;
      changes += beliefs.observe(1, -0.5 + noise(random) + (is_disturbed ? longer : 0.0)) ? 1 : 0;
      beliefs.age(1);
    }
    EXPECT_NEAR(beliefs.cost(0) - beliefs.cost(1), 0.5, 0.2) << longer;
    EXPECT_LT(beliefs.deviationBetween(0, 1), 0.3) << longer;
    EXPECT_GT(changes, 15) << longer << ": each disturbance is seen";
    EXPECT_LT(changes, 25) << longer << ": that it passes is no change";
  }
}

// Two arms of which the second is disturbed until that is taken for a change, at each of these costs in turn, with so
// many calls before each measurement, and then costs what it did before, after so many more.
CostBeliefs afterDisturbance(std::initializer_list<double> costs, std::int64_t calls_between,
                             std::int64_t calls_after) {
  CostBeliefs beliefs(0.4);
  for (const double cost : {0.0, -0.5}) beliefs.add(cost, 0.25);
  for (int i = 0; i < 40; ++i) {
    for (const std::size_t arm : {0, 1}) beliefs.observe(arm, (arm == 0 ? 0.0 : -0.5) + (i % 2 == 0 ? 0.04 : -0.04));
  }
  for (const double cost : costs) {
    bool has_changed = false;
    for (int i = 0; i < 20 && !has_changed; ++i) {
      beliefs.age(calls_between);
      has_changed = beliefs.observe(1, cost);
    }
    EXPECT_TRUE(has_changed) << cost;
  }
  beliefs.age(calls_after);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(beliefs.observe(1, -0.5));
  return beliefs;
}

TEST(CostBeliefs, takeBackADisturbanceThatGrew) {
  const double before = afterDisturbance({}, 0, 0).deviation(0);
  EXPECT_LT(afterDisturbance({0.5, 2.5}, 0, 0).deviation(0), 2.0 * before);
}

TEST(CostBeliefs, knowLessAfterADisturbanceTheMoreCallsItLasted) {
  const double after_few = afterDisturbance({2.5}, 1, 0).deviation(0);
  const double after_thousand = afterDisturbance({2.5}, 1, 1000).deviation(0);
  EXPECT_GT(after_thousand, after_few + 0.1) << "calls since it was taken for a change";
  EXPECT_GT(afterDisturbance({2.5}, 1000, 0).deviation(0), after_thousand + 0.05) << "thousands before";
}

// Whether the first change passes is not judged by what the second arm has changed to.
TEST(CostBeliefs, keepAChangeThatLastsThoughAnotherArmChangesLater) {
  CostBeliefs beliefs(0.4);
  for (const double cost : {0.0, -0.5}) beliefs.add(cost, 0.25);
  const auto observe = [&](std::size_t arm, double cost, int times) {
    for (int i = 0; i < times; ++i) {
      beliefs.age(1);
      beliefs.observe(arm, cost + (i % 2 == 0 ? 0.04 : -0.04));
    }
  };
  observe(0, 0.0, 20);
  observe(1, -0.5, 20);
  observe(0, 0.7, 8);
  observe(1, -0.5, 1000);
  observe(1, -1.2, 1000);
  observe(0, 0.7, 6);
  EXPECT_NEAR(beliefs.cost(0), 0.7, 0.1);
  EXPECT_NEAR(beliefs.cost(1), -1.2, 0.1);
}

// That the arm is fast again after a hundred measurements is another change.
TEST(CostBeliefs, keepAChangeThatLasts) {
  CostBeliefs beliefs(0.4);
  beliefs.add(0.0, 0.5);
  beliefs.add(-0.5, 0.5);
  for (int i = 0; i < 20; ++i) {
    beliefs.observe(0, i % 2 == 0 ? 0.05 : -0.05);
    beliefs.observe(1, i % 2 == 0 ? -0.45 : -0.55);
  }
  int changes = 0;
  for (int i = 0; i < 100; ++i) changes += beliefs.observe(1, i % 2 == 0 ? 0.95 : 0.85) ? 1 : 0;
  EXPECT_NEAR(beliefs.cost(1), 0.9, 0.05);
  EXPECT_EQ(changes, 1);
  for (int i = 0; i < 20; ++i) changes += beliefs.observe(1, i % 2 == 0 ? -0.45 : -0.55) ? 1 : 0;
  EXPECT_NEAR(beliefs.cost(1), -0.5, 0.05);
  EXPECT_EQ(changes, 2);
}

}  // namespace
}  // namespace starling
