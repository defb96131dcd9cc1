#include "estimators/clock_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <utility>

namespace starling {
namespace {

constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3'600 * kSecond;

// Another clock, which is ahead by an offset that grows.
struct OtherClock {
  std::int64_t offset_ns = 0;
  double drift = 0.0;

  std::int64_t at(std::int64_t local_ns) const {
    return local_ns + offset_ns + std::llround(drift * static_cast<double>(local_ns));
  }
};

// An exchange that begins at `at_ns`, whose question and answer travel for so long.
OffsetBounds exchangeWith(const OtherClock& other, std::int64_t at_ns, std::int64_t there_ns, std::int64_t back_ns) {
  return ClockExchange{at_ns, at_ns + there_ns + back_ns, other.at(at_ns + there_ns), 0}.bounds();
}

void expectWithinError(const ClockModel& model, const OtherClock& other, std::int64_t local_ns) {
  EXPECT_LE(std::abs(model.toOther(local_ns) - other.at(local_ns)), model.errorAt(local_ns)) << "at " << local_ns;
}

TEST(ClockExchange, boundsTheOffsetHoweverTheTimeIsSplitBetweenQuestionAndAnswer) {
  for (const double drift : {-kGreatestDrift, 0.0, kGreatestDrift}) {
    const OtherClock other{-7 * kHour, drift};
    for (std::int64_t there = 0; there <= 100; there += 25) {
      const std::int64_t sent = 40 * kSecond;
      const OffsetBounds bounds = exchangeWith(other, sent, there * kMicrosecond, (100 - there) * kMicrosecond);
      const std::int64_t offset = other.at(bounds.local_ns) - bounds.local_ns;
      EXPECT_LE(bounds.least_ns, offset + 1);
      EXPECT_GE(bounds.most_ns, offset - 1);
      EXPECT_LE(bounds.width(), 101 * kMicrosecond);
    }
  }
}

TEST(ClockExchange, addsTheErrorOfWhatItIsTold) {
  const OffsetBounds bounds = ClockExchange{0, 10, 1005, 7}.bounds();
  EXPECT_EQ(bounds.least_ns, 988);
  EXPECT_EQ(bounds.most_ns, 1013) << "a nanosecond for the drift";
}

TEST(ClockModel, isItsOwnClockByDefault) {
  EXPECT_EQ(ClockModel{}.toOther(12345), 12345);
  EXPECT_EQ(ClockModel{}.errorAt(12345), 0);
}

TEST(ClockFit, knowsNoDriftAfterOneExchangeAndSaysSo) {
  const OtherClock other{3 * kHour, 150e-6};
  ClockFit fit;
  EXPECT_TRUE(fit.isEmpty());
  EXPECT_TRUE(fit.add(exchangeWith(other, kSecond, 5 * kMicrosecond, 5 * kMicrosecond)));
  for (const std::int64_t later : {kSecond, 2 * kSecond, 100 * kSecond}) expectWithinError(fit.model(), other, later);
  EXPECT_LT(fit.model().errorAt(kSecond), 10 * kMicrosecond);
  EXPECT_GT(fit.model().errorAt(2 * kSecond), 190 * kMicrosecond);
}

TEST(ClockFit, findsOffsetAndDriftAndAnErrorThatHolds) {
  std::mt19937 random(1);
  std::exponential_distribution<double> delay(1.0 / (5.0 * kMicrosecond));
  for (const double drift : {-100e-6, -1e-6, 0.0, 50e-6}) {
    const OtherClock other{-11 * kHour, drift};
    ClockFit fit;
    std::int64_t now = kHour;
    for (int i = 0; i < 60; ++i, now += kSecond) {
      const auto there = 2 * kMicrosecond + std::llround(delay(random));
      const auto back = 2 * kMicrosecond + std::llround(delay(random));
      fit.add(exchangeWith(other, now, there, back));
      for (const std::int64_t at : {now, now + kSecond / 2, now + kSecond, now - kSecond}) {
        expectWithinError(fit.model(), other, at);
      }
    }
    EXPECT_NEAR(fit.model().drift, drift, 1e-6);
    EXPECT_LT(fit.model().errorAt(now), 10 * kMicrosecond);
  }
}

// The true drift may be the greatest or the least that the exchanges allow, and the other one may be closer.
TEST(ClockFit, isOffByNoMoreThanItSaysLongBeforeAndAfterAnExchangeThatTravelledLongerOneWay) {
  for (const double drift : {-80e-6, 0.0, 80e-6}) {
    for (const auto& [there, back] : {std::pair(1, 100), std::pair(100, 1)}) {
      const OtherClock other{3 * kHour, drift};
      ClockFit fit;
      fit.add(exchangeWith(other, 0, kMicrosecond, kMicrosecond));
      fit.add(exchangeWith(other, 2 * kSecond, there * kMicrosecond, back * kMicrosecond));
      for (const std::int64_t at : {-10 * kSecond, 60 * kSecond}) expectWithinError(fit.model(), other, at);
    }
  }
}

TEST(ClockFit, leavesOutBoundsThatSayNothingNew) {
  const OtherClock other{kSecond, 0.0};
  ClockFit fit;
  fit.add(exchangeWith(other, 0, kMicrosecond, kMicrosecond));
  const ClockModel before = fit.model();
  EXPECT_FALSE(fit.add(exchangeWith(other, kSecond, 50'000 * kMicrosecond, 50'000 * kMicrosecond)));
  EXPECT_EQ(fit.model(), before);
}

TEST(ClockFit, keepsNarrowBoundsThoughManyWideOnesFollow) {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> delay(50 * kMicrosecond, 1000 * kMicrosecond);
  const OtherClock other{-5 * kHour, 100e-6};
  ClockFit fit;
  std::int64_t now = kHour;
  const auto exchange = [&](std::int64_t there, std::int64_t back) {
    fit.add(exchangeWith(other, now, there, back));
    expectWithinError(fit.model(), other, now + kSecond);
    now += 2 * kSecond;
  };
  exchange(5 * kMicrosecond, 5 * kMicrosecond);
  for (int i = 0; i < 20; ++i) exchange(delay(random), delay(random));
  exchange(5 * kMicrosecond, 5 * kMicrosecond);
  for (int i = 0; i < 40; ++i) exchange(delay(random), delay(random));
  EXPECT_LT(fit.model().errorAt(now), 40 * kMicrosecond);
}

TEST(ClockFit, forgetsWhatWasBeforeAClocksRateChanged) {
  const OtherClock before{0, 0.0};
  ClockFit fit;
  std::int64_t now = 0;
  for (; now < 10 * kSecond; now += kSecond) fit.add(exchangeWith(before, now, kMicrosecond, kMicrosecond));
  const OtherClock after{-std::llround(50e-6 * static_cast<double>(now)), 50e-6};  // the offset does not jump
  for (; now < 40 * kSecond; now += kSecond) fit.add(exchangeWith(after, now, kMicrosecond, kMicrosecond));
  expectWithinError(fit.model(), after, now);
  EXPECT_NEAR(fit.model().drift, 50e-6, 1e-6);
}

TEST(ClockFit, followsAClockThatJumps) {
  ClockFit fit;
  fit.add(exchangeWith({0, 0.0}, 0, kMicrosecond, kMicrosecond));
  fit.add(exchangeWith({0, 0.0}, kSecond, kMicrosecond, kMicrosecond));
  const OtherClock jumped{-kSecond, 0.0};
  fit.add(exchangeWith(jumped, 2 * kSecond, kMicrosecond, kMicrosecond));
  expectWithinError(fit.model(), jumped, 2 * kSecond);
}

TEST(ClockFit, isExactToNanosecondsForClocksThatRanForYears) {
  const OtherClock other{-30'000 * kHour, 0.0};
  ClockFit fit;
  const std::int64_t now = 20'000 * kHour;
  for (int i = 0; i < 4; ++i) fit.add(exchangeWith(other, now + i * kSecond, 5, 5));
  expectWithinError(fit.model(), other, now + 4 * kSecond);
  EXPECT_LT(fit.model().errorAt(now + 3 * kSecond), 20);
}

}  // namespace
}  // namespace starling
