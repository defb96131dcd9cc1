#include "estimators/cost_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <random>
#include <vector>

namespace starling {
namespace {

constexpr double kAlpha = 2.5e-6;
constexpr double kBeta = 8.5e-11;
constexpr double kGamma = 3.0e-11;

double timeOf(const CostSample& sample) {
  return sample.messages * kAlpha + sample.sent_bytes * kBeta + sample.reduced_bytes * kGamma;
}

// Rings, recursive doublings and broadcasts of 64 bytes to 16 MiB on 8 ranks: counts as the schedules have them.
std::vector<CostSample> samplesOfThreeAlgorithms() {
  std::vector<CostSample> samples;
  for (double bytes = 64.0; bytes <= 16777216.0; bytes *= 4.0) {
    samples.push_back({14.0, 1.75 * bytes, 0.875 * bytes, {}});
    samples.push_back({3.0, 3.0 * bytes, 3.0 * bytes, {}});
    samples.push_back({3.0, 3.0 * bytes, 0.0, {}});
  }
  for (CostSample& sample : samples) sample.time = {timeOf(sample)};
  return samples;
}

TEST(CostFit, isZeroWhenThereAreNoSamples) {
  const FittedCost cost = fitCost({});
  EXPECT_EQ(cost.alpha.value, 0.0);
  EXPECT_EQ(cost.beta, 0.0);
  EXPECT_EQ(cost.gamma, 0.0);
  EXPECT_EQ(cost.residual.value, 0.0);
}

TEST(CostFit, recoversAllThreeWhenSamplesAreExact) {
  const FittedCost cost = fitCost(samplesOfThreeAlgorithms());
  EXPECT_NEAR(cost.alpha.value, kAlpha, 1e-6 * kAlpha);
  EXPECT_NEAR(cost.beta, kBeta, 1e-6 * kBeta);
  EXPECT_NEAR(cost.gamma, kGamma, 1e-6 * kGamma);
  EXPECT_NEAR(cost.residual.value, 0.0, 1e-9);
}

TEST(CostFit, recoversAllThreeWhenTimesAreNoisy) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> relative(1.0, 0.05);
    std::vector<CostSample> samples;
    for (int repetition = 0; repetition < 10; ++repetition) {
      for (CostSample sample : samplesOfThreeAlgorithms()) {
        sample.time.value *= relative(random);
        samples.push_back(sample);
      }
    }
    const FittedCost cost = fitCost(samples);
    EXPECT_NEAR(cost.alpha.value, kAlpha, 0.03 * kAlpha) << "seed " << seed;
    EXPECT_NEAR(cost.beta, kBeta, 0.05 * kBeta) << "seed " << seed;
    EXPECT_NEAR(cost.gamma, kGamma, 0.15 * kGamma) << "seed " << seed;
    EXPECT_GT(cost.residual.value, 0.0) << "seed " << seed;
  }
}

// A fit of plain squares would let one large message with 5% error decide over all latencies.
TEST(CostFit, smallMessagesKeepTheirSayWhenALargeOneIsOff) {
  std::vector<CostSample> samples;
  for (double bytes : {8.0, 64.0, 512.0, 4096.0}) samples.push_back({1.0, bytes, 0.0, {kAlpha + bytes * kBeta}});
  samples.push_back({1.0, 1e8, 0.0, {1.05 * 1e8 * kBeta}});
  samples.push_back({1.0, 1e7, 0.0, {0.95 * 1e7 * kBeta}});
  const FittedCost cost = fitCost(samples);
  EXPECT_NEAR(cost.alpha.value, kAlpha, 0.02 * kAlpha);
  EXPECT_NEAR(cost.beta, kBeta, 0.06 * kBeta);
}

TEST(CostFit, leavesZeroWhatNoSampleDetermines) {
  std::vector<CostSample> samples;
  for (double bytes : {64.0, 4096.0, 262144.0}) samples.push_back({1.0, bytes, 0.0, {kAlpha + bytes * kBeta}});
  const FittedCost cost = fitCost(samples);
  EXPECT_NEAR(cost.alpha.value, kAlpha, 1e-6 * kAlpha);
  EXPECT_NEAR(cost.beta, kBeta, 1e-6 * kBeta);
  EXPECT_EQ(cost.gamma, 0.0);
}

TEST(CostFit, chargesTheEarlierCoefficientWhenTwoSayTheSame) {
  std::vector<CostSample> samples;  // ring alone: reduced bytes are half the sent ones
  for (double bytes : {1024.0, 65536.0, 4194304.0}) {
    CostSample sample{14.0, 1.75 * bytes, 0.875 * bytes, {}};
    sample.time = {timeOf(sample)};
    samples.push_back(sample);
  }
  const FittedCost cost = fitCost(samples);
  EXPECT_NEAR(cost.alpha.value, kAlpha, 1e-6 * kAlpha);
  EXPECT_NEAR(cost.beta, kBeta + 0.5 * kGamma, 1e-6 * kBeta);
  EXPECT_EQ(cost.gamma, 0.0);
}

TEST(CostFit, usesOneCoefficientWhenThereIsOneSample) {
  const std::vector<CostSample> samples{{4.0, 1000.0, 1000.0, {8e-6}}};
  const FittedCost cost = fitCost(samples);
  EXPECT_NEAR(cost.alpha.value, 2e-6, 1e-15);
  EXPECT_EQ(cost.beta, 0.0);
  EXPECT_EQ(cost.gamma, 0.0);
  EXPECT_NEAR(cost.residual.value, 0.0, 1e-15);
}

TEST(CostFit, setsZeroWhereTheUnboundedFitWouldBeNegative) {
  std::vector<CostSample> samples;  // larger messages took less time: a fit without bounds has beta < 0
  for (double bytes : {1000.0, 2000.0, 3000.0}) samples.push_back({1.0, bytes, 0.0, {1e-5 - 1e-9 * bytes}});
  const FittedCost cost = fitCost(samples);
  EXPECT_EQ(cost.beta, 0.0);
  EXPECT_GT(cost.alpha.value, 7e-6);
  EXPECT_LT(cost.alpha.value, 9e-6);
}

TEST(CostFit, isNeverNegativeWhenTimesAreRandom) {
  std::mt19937 random(42);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<CostSample> samples;
    for (int i = 0; i < 1 + trial % 7; ++i) {
      samples.push_back({std::floor(10.0 * unit(random)), 1e6 * unit(random), 1e6 * unit(random), {unit(random)}});
    }
    const FittedCost cost = fitCost(samples);
    EXPECT_GE(cost.alpha.value, 0.0) << "trial " << trial;
    EXPECT_GE(cost.beta, 0.0) << "trial " << trial;
    EXPECT_GE(cost.gamma, 0.0) << "trial " << trial;
    EXPECT_TRUE(std::isfinite(cost.residual.value)) << "trial " << trial;
  }
}

TEST(CostFit, ignoresSamplesWithoutPositiveTime) {
  std::vector<CostSample> samples = samplesOfThreeAlgorithms();
  samples.push_back({1.0, 100.0, 100.0, {0.0}});
  samples.push_back({1.0, 100.0, 100.0, {-1.0}});
  const FittedCost cost = fitCost(samples);
  EXPECT_NEAR(cost.alpha.value, kAlpha, 1e-6 * kAlpha);
  EXPECT_NEAR(cost.gamma, kGamma, 1e-6 * kGamma);
}

TEST(CostFit, residualIsTheRootMeanSquareOfTheDifferences) {
  // Weighted by 1 / time: alpha minimises (alpha/1 - 1)^2 + (alpha/2 - 1)^2, so alpha = 1.5 / 1.25 = 1.2.
  const std::vector<CostSample> samples{{1.0, 0.0, 0.0, {1.0}}, {1.0, 0.0, 0.0, {2.0}}};
  const FittedCost cost = fitCost(samples);
  EXPECT_NEAR(cost.alpha.value, 1.2, 1e-12);
  EXPECT_NEAR(cost.residual.value, std::sqrt((0.04 + 0.64) / 2.0), 1e-12);
}

TEST(CostFit, aTrainUsuallyTakesWhatItsMessagesInTheMiddleDo) {
  const auto usual = [](std::initializer_list<double> times) {
    std::vector<Seconds> train;
    for (const double time : times) train.push_back(Seconds{time});
    return usualOfTrain(train).value;
  };
  EXPECT_DOUBLE_EQ(usual({4.0, 4.0}), 4.0);
  EXPECT_DOUBLE_EQ(usual({5.0, 3.0, 5.0, 3.0, 5.0}), 4.0) << "now one rank is ahead, now the other";
  EXPECT_DOUBLE_EQ(usual({4.0, 4.0, 4.0, 4.0, 90.0}), 4.0) << "held up once, at the end";
  EXPECT_DOUBLE_EQ(usual({4.0, 9.0, 1.0, 2.0, 4.0}), 4.0) << "what a bucket gained meanwhile is spent afterwards";
}

}  // namespace
}  // namespace starling
