// What tests/tuner sees of the loop only through the tuner.
#include "learning_loop.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <set>

#include "call_summaries.h"

namespace starling::gym {
namespace {

constexpr Signature kSignature{.count = 1024, .element_size = 8};
constexpr std::int32_t kRanks = 4;

CallSummary summaryOfCall(Seconds took) {
  const std::vector<Seconds> arrivals(kRanks);
  return summaryOf(arrivals, std::vector<Seconds>(kRanks, took));
}

TunerSettings settings() {
  TunerSettings settings;
  settings.model = {.alpha = {2e-6}, .beta = 1e-9, .gamma = 1e-10, .ports = 1, .overhead = {6e-7}};
  return settings;
}

// Makes a call, in which native takes three times as long as anything else.
LearningLoop::NextCall call(LearningLoop& loop, LocalSite line = 1) {
  const LearningLoop::NextCall next = loop.begin(line, kSignature);
  const Seconds took{next.planned.choice == kNativeChoice ? 3e-4 : 1e-4};
  loop.end(next.isTimed() ? std::optional(summaryOfCall(took)) : std::nullopt);
  return next;
}

TEST(LearningLoop, endsItsFirstEpochAfterTheFewestCalls) {
  TunerSettings few = settings();
  few.options.minimum_calls = 5;
  LearningLoop loop(kRanks, few);
  for (int i = 0; i < 4; ++i) call(loop);
  EXPECT_TRUE(loop.epochLengths().empty());
  call(loop);
  EXPECT_EQ(loop.epochLengths(), std::vector<std::int32_t>{5});
}

TEST(LearningLoop, plansAfterOneCallWhereItsShapeIsKnown) {
  TunerSettings shared = settings();
  shared.shared = std::make_shared<SharedKnowledge>();
  LearningLoop first(kRanks, shared);
  for (int i = 0; i < 60; ++i) call(first);
  LearningLoop second(kRanks, shared, {}, true);
  std::vector<Choice> choices;
  for (int i = 0; i < 6; ++i) choices.push_back(call(second).planned.choice);
  EXPECT_EQ(second.epochLengths().front(), 1);
  EXPECT_EQ(choices[2], kNativeChoice);
  EXPECT_NE(choices[3], kNativeChoice) << "what the first has learned";
}

TEST(LearningLoop, hasEachCallInOneEpoch) {
  LearningLoop loop(kRanks, settings());
  for (int i = 1; i <= 500; ++i) {
    call(loop);
    const std::vector<std::int32_t>& lengths = loop.epochLengths();
    EXPECT_LE(std::accumulate(lengths.begin(), lengths.end(), 0), i);
  }
  for (const std::int32_t length : loop.epochLengths()) EXPECT_GT(length, 0);
}

TEST(LearningLoop, hasNoPlanBeforeAnEpochHasPassedAfterTheOneThatTaughtIt) {
  LearningLoop loop(kRanks, settings());
  while (loop.epochLengths().empty()) EXPECT_EQ(call(loop).planned.choice, kNativeChoice);
  EXPECT_EQ(loop.updates(), 0);
  while (loop.epochLengths().size() < 2) {
    EXPECT_EQ(call(loop).planned.choice, kNativeChoice);
    EXPECT_TRUE(loop.epochLengths().size() == 2 || loop.updates() == 0);
  }
  for (int i = 0; i < 500; ++i) call(loop);
  EXPECT_GT(loop.updates(), 0);
  EXPECT_NE(call(loop).planned.choice, kNativeChoice);
}

TEST(LearningLoop, stampsAllCallsOfAnEpochThatHasNoMoreThanItMay) {
  TunerSettings short_epoch = settings();
  short_epoch.options.minimum_calls = 6;
  short_epoch.samples_per_epoch = 6;
  LearningLoop loop(kRanks, short_epoch);
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(call(loop).is_stamped);
}

TEST(LearningLoop, stampsACallOfEachEqualStretchAtAPlaceThatChanges) {
  TunerSettings long_epoch = settings();
  long_epoch.options.minimum_calls = 2000;
  long_epoch.samples_per_epoch = 50;
  LearningLoop loop(kRanks, long_epoch);
  std::set<int> places;
  for (int stretch = 0; stretch < 50; ++stretch) {
    int stamped = 0;
    for (int place = 0; place < 40; ++place) {
      if (!call(loop).is_stamped) continue;
      ++stamped;
      places.insert(place);
    }
    EXPECT_EQ(stamped, 1);
  }
  // Else of a program with a rhythm of 40 calls the same one would be stamped each time.
  EXPECT_GT(places.size(), 10U);
}

TEST(LearningLoop, stampsCallsOfEveryKeyOfManyInTurn) {
  constexpr int kKeys = 40;
  LearningLoop loop(kRanks, settings());
  std::array<int, kKeys> stamped{};
  for (int i = 0; i < 4000; ++i)
    stamped[static_cast<std::size_t>(i % kKeys)] += call(loop, i % kKeys).is_stamped ? 1 : 0;
  for (const int calls : stamped) EXPECT_GT(calls, 0);
}

TEST(LearningLoop, needsTheStampsOfTimedCalls) {
  LearningLoop loop(kRanks, settings());
  ASSERT_TRUE(loop.begin(1, kSignature).is_stamped);
  EXPECT_THROW(loop.end(std::nullopt), std::bad_optional_access);
}

TEST(LearningLoop, runsNativeWhereACallMayNotBeTuned) {
  LearningLoop loop(kRanks, settings());
  for (int i = 0; i < 300; ++i) {
    const LearningLoop::NextCall next = loop.begin(1, kSignature, false);
    EXPECT_EQ(next.planned.choice, kNativeChoice);
    loop.end(next.isTimed() ? std::optional(summaryOfCall({3e-4})) : std::nullopt);
  }
}

TEST(LearningLoop, learnsForEachSiteApart) {
  LearningLoop loop(kRanks, settings());
  for (int i = 0; i < 300; ++i) call(loop, 1 + i % 2);
  EXPECT_GE(loop.keys().size(), 2);
}

TEST(LearningLoop, doesTheSameAgain) {
  LearningLoop first(kRanks, settings());
  LearningLoop second(kRanks, settings());
  for (int i = 0; i < 500; ++i) EXPECT_EQ(call(first).planned.choice, call(second).planned.choice);
  EXPECT_EQ(first.epochLengths(), second.epochLengths());
  EXPECT_EQ(first.updates(), second.updates());
}

}  // namespace
}  // namespace starling::gym
