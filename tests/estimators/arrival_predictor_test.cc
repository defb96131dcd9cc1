#include "estimators/arrival_predictor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace starling {
namespace {

constexpr double kMillisecond = 1e-3;

void observe(ArrivalPredictor& predictor, const std::vector<double>& lateness) {
  std::vector<Seconds> seconds;
  for (double value : lateness) seconds.push_back({value});
  predictor.observe(seconds);
}

// One rank, calls 0 .. count-1.
ArrivalPredictor afterCalls(int count, const std::function<double(int)>& lateness, std::int32_t window = 16) {
  ArrivalPredictor predictor(1, window);
  for (int call = 0; call < count; ++call) observe(predictor, {lateness(call)});
  return predictor;
}

TEST(ArrivalPredictor, predictsZerosBeforeTheFirstObservation) {
  const ArrivalPredictor predictor(3);
  const ArrivalPrediction prediction = predictor.predict();
  EXPECT_EQ(predictor.observations(), 0);
  EXPECT_EQ(prediction.lateness, std::vector<Seconds>(3));
  EXPECT_EQ(prediction.error, std::vector<Seconds>(3));
  EXPECT_EQ(prediction.method.size(), 3U);
}

TEST(ArrivalPredictor, repeatsTheOnlyObservationWithItsSizeAsError) {
  ArrivalPredictor predictor(2);
  observe(predictor, {0.0, 0.25});
  const ArrivalPrediction prediction = predictor.predict();
  EXPECT_EQ(predictor.observations(), 1);
  EXPECT_DOUBLE_EQ(prediction.lateness[0].value, 0.0);
  EXPECT_DOUBLE_EQ(prediction.lateness[1].value, 0.25);
  EXPECT_DOUBLE_EQ(prediction.error[1].value, 0.25);
}

TEST(ArrivalPredictor, isExactWhenLatenessIsConstant) {
  ArrivalPredictor predictor(3);
  for (int call = 0; call < 40; ++call) {
    observe(predictor, {0.0, 5 * kMillisecond, 20 * kMillisecond});
    const ArrivalPrediction prediction = predictor.predict();
    EXPECT_NEAR(prediction.lateness[0].value, 0.0, 1e-15);
    EXPECT_NEAR(prediction.lateness[1].value, 5 * kMillisecond, 1e-15);
    EXPECT_NEAR(prediction.lateness[2].value, 20 * kMillisecond, 1e-15);
    if (call > 0) {
      EXPECT_NEAR(prediction.error[2].value, 0.0, 1e-15);
    }
  }
}

TEST(ArrivalPredictor, findsTheLateRankWhenAllAreNoisy) {
  constexpr int kRanks = 8;
  constexpr int kLate = 5;
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0.0, 0.2 * kMillisecond);
  ArrivalPredictor predictor(kRanks);
  for (int call = 0; call < 64; ++call) {
    std::vector<double> lateness(kRanks);
    for (double& value : lateness) value = kMillisecond + noise(random);
    lateness[kLate] += 10 * kMillisecond;
    observe(predictor, lateness);
  }
  const ArrivalPrediction prediction = predictor.predict();
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    const double expected = (rank == kLate ? 11 : 1) * kMillisecond;
    EXPECT_NEAR(prediction.lateness[rank].value, expected, 0.3 * kMillisecond) << "rank " << rank;
    // The mean absolute value of the noise is 0.16 ms; no forecast of independent noise can be much better.
    EXPECT_GT(prediction.error[rank].value, 0.08 * kMillisecond) << "rank " << rank;
    EXPECT_LT(prediction.error[rank].value, 0.32 * kMillisecond) << "rank " << rank;
  }
}

TEST(ArrivalPredictor, regressionWinsWhenLatenessIsARamp) {
  const ArrivalPredictor predictor = afterCalls(50, [](int call) { return kMillisecond * (3.0 + 0.5 * call); });
  const ArrivalPrediction prediction = predictor.predict();
  EXPECT_EQ(prediction.method[0], PredictionMethod::kRegression);
  EXPECT_NEAR(prediction.lateness[0].value, 28 * kMillisecond, 1e-12);
  EXPECT_NEAR(prediction.error[0].value, 0.0, 1e-12);
}

// Each rank is judged alone: a third of the ranks is noisy about a level (the mean over the window is best), a third
// wanders (recent calls count more), a third drifts.
TEST(ArrivalPredictor, mostRanksGetTheMethodOfTheirPattern) {
  constexpr std::size_t kGroup = 1000;
  constexpr unsigned kSeed = 5;
  std::mt19937 random(kSeed);
  std::normal_distribution<double> noise(0.0, kMillisecond);
  std::vector<double> level(3 * kGroup, 100 * kMillisecond);
  ArrivalPredictor predictor(3 * kGroup);
  for (int call = 0; call < 100; ++call) {
    std::vector<double> lateness = level;
    for (double& value : lateness) value += noise(random);
    observe(predictor, lateness);
    for (std::size_t rank = kGroup; rank < 2 * kGroup; ++rank) level[rank] += 0.5 * noise(random);
    for (std::size_t rank = 2 * kGroup; rank < 3 * kGroup; ++rank) level[rank] += kMillisecond;
  }
  const std::vector<PredictionMethod> method = predictor.predict().method;
  const auto chosen = [&](std::size_t group, PredictionMethod wanted) {
    const auto first = method.begin() + static_cast<std::ptrdiff_t>(group * kGroup);
    return std::count(first, first + kGroup, wanted);
  };
  EXPECT_GE(chosen(0, PredictionMethod::kMovingAverage), 600) << "seed " << kSeed;
  EXPECT_GE(chosen(1, PredictionMethod::kExponentialAverage), 450) << "seed " << kSeed;
  EXPECT_GE(chosen(2, PredictionMethod::kRegression), 950) << "seed " << kSeed;
}

TEST(ArrivalPredictor, errorIsLargeWhenLatenessAlternates) {
  const ArrivalPredictor predictor = afterCalls(60, [](int call) { return (call % 2) * 10 * kMillisecond; });
  const ArrivalPrediction prediction = predictor.predict();
  // Half the swing is what the mean misses every time.
  EXPECT_GT(prediction.error[0].value, 4.5 * kMillisecond);
  EXPECT_LT(prediction.error[0].value, 6.5 * kMillisecond);
}

TEST(ArrivalPredictor, forgetsWhatLeftTheWindow) {
  constexpr std::int32_t kWindow = 4;
  const ArrivalPredictor predictor = afterCalls(
      70, [](int call) { return call < 60 ? 50 * kMillisecond : 2 * kMillisecond; }, kWindow);
  const ArrivalPrediction prediction = predictor.predict();
  EXPECT_EQ(predictor.observations(), 70);
  EXPECT_NEAR(prediction.lateness[0].value, 2 * kMillisecond, 1e-12);
  EXPECT_NEAR(prediction.error[0].value, 0.0, 1e-12);
}

TEST(ArrivalPredictor, repeatsTheLastCallWhenTheWindowIsOne) {
  const ArrivalPredictor predictor = afterCalls(
      5, [](int call) { return kMillisecond * call * call; }, 1);
  const ArrivalPrediction prediction = predictor.predict();
  EXPECT_NEAR(prediction.lateness[0].value, 16 * kMillisecond, 1e-15);
  EXPECT_NEAR(prediction.error[0].value, 7 * kMillisecond, 1e-15);  // 16 - 9, the last forecast's
}

TEST(ArrivalPredictor, errorIsTheMeanOverTheWindowOfTheForecastsOfTheMovingAverage) {
  const std::vector<double> calls{4, 0, 2, 6, 1, 1, 8, 3};
  constexpr std::int32_t kWindow = 3;
  const ArrivalPredictor predictor = afterCalls(
      static_cast<int>(calls.size()), [&](int call) { return calls[static_cast<std::size_t>(call)]; }, kWindow);
  // Moving averages before calls 5, 6, 7: (2+6+1)/3 = 3, (6+1+1)/3, (1+1+8)/3; errors 2, 16/3, 1/3; mean 23/9.
  // Exponential averages: 4, 3, 2.75, 3.5625, 2.921875, 2.44140625, 3.8310...; errors 1.921875, 5.5586, 0.8311; 2.7705.
  // Lines through the same windows at the next call: 2, -1 -> 0, 22/3... miss by more.
  const ArrivalPrediction prediction = predictor.predict();
  EXPECT_EQ(prediction.method[0], PredictionMethod::kMovingAverage);
  EXPECT_NEAR(prediction.error[0].value, 23.0 / 9.0, 1e-12);
  EXPECT_NEAR(prediction.lateness[0].value, 4.0, 1e-12);  // (1 + 8 + 3) / 3
}

TEST(ArrivalPredictor, isNeverNegativeWhenARampFallsToZero) {
  ArrivalPredictor predictor(1);
  for (int call = 0; call < 60; ++call) {
    observe(predictor, {std::max(0.0, kMillisecond * (20 - call))});
    EXPECT_GE(predictor.predict().lateness[0].value, 0.0) << "call " << call;
  }
}

TEST(ArrivalPredictor, isNeverNegativeWhenLatenessIsRandom) {
  std::mt19937 random(3);
  std::exponential_distribution<double> lateness(1.0);
  ArrivalPredictor predictor(4, 5);
  for (int call = 0; call < 200; ++call) {
    observe(predictor, {lateness(random), lateness(random), 0.0, lateness(random)});
    for (Seconds predicted : predictor.predict().lateness) EXPECT_GE(predicted.value, 0.0) << "call " << call;
  }
}

TEST(ArrivalPredictor, keepsItsHistoryWhenMoved) {
  ArrivalPredictor source = afterCalls(10, [](int) { return kMillisecond; });
  const ArrivalPredictor target = std::move(source);
  EXPECT_EQ(target.observations(), 10);
  EXPECT_NEAR(target.predict().lateness[0].value, kMillisecond, 1e-15);
}

TEST(ArrivalPredictor, goesOnByItselfWhenCopied) {
  ArrivalPredictor source = afterCalls(10, [](int) { return kMillisecond; });
  ArrivalPredictor copy = source;
  ArrivalPredictor assigned(2, 3);
  assigned = source;
  observe(source, std::vector<double>(source.predict().lateness.size(), 5 * kMillisecond));
  for (const ArrivalPredictor* one : {&copy, &assigned}) {
    EXPECT_EQ(one->observations(), 10);
    EXPECT_NEAR(one->predict().lateness[0].value, kMillisecond, 1e-15);
  }
  EXPECT_EQ(source.observations(), 11);
}

TEST(ArrivalPredictor, predictsAlikeOfARankThatIsACopyOfAnother) {
  ArrivalPredictor predictor(2);
  for (int call = 0; call < 14; ++call) observe(predictor, {(call < 8 ? 1 : 5) * kMillisecond, 9 * kMillisecond});
  predictor.copyRank(0, 1);
  for (int call = 0; call < 20; ++call) {
    const ArrivalPrediction prediction = predictor.predict();
    EXPECT_EQ(prediction.lateness[1], prediction.lateness[0]) << "call " << call;
    EXPECT_EQ(prediction.error[1], prediction.error[0]) << "call " << call;
    EXPECT_EQ(prediction.method[1], prediction.method[0]) << "call " << call;
    observe(predictor, {5 * kMillisecond, 5 * kMillisecond});
  }
}

TEST(ArrivalPredictor, saysHowWrongTheBestMethodWasOfTheLatestCall) {
  ArrivalPredictor predictor(2, 5);
  for (int call = 0; call < 10; ++call) observe(predictor, {kMillisecond, 0.0});
  EXPECT_NEAR(predictor.latestError().value, 0.0, 1e-12);
  observe(predictor, {2 * kMillisecond, 4 * kMillisecond});
  EXPECT_NEAR(predictor.latestError().value, 4 * kMillisecond, 1e-12) << "of the rank of which it was most";
}

TEST(ArrivalPredictor, methodsHaveNames) {
  EXPECT_STREQ(predictionMethodName(PredictionMethod::kMovingAverage), "moving_average");
  EXPECT_STREQ(predictionMethodName(PredictionMethod::kExponentialAverage), "exponential_average");
  EXPECT_STREQ(predictionMethodName(PredictionMethod::kRegression), "regression");
}

}  // namespace
}  // namespace starling
