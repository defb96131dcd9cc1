#include "tuner/epoch_lengths.h"

#include <gtest/gtest.h>

#include <array>

#include "tracked_ranks.h"

namespace starling {
namespace {

constexpr std::int32_t kSamples = 32;

// A communicator whose ranks agree, and whose calls have one key.
class EpochLengthsTest : public testing::Test {
 protected:
  static Options options() {
    Options options;
    options.longest_epoch = 256;
    return options;
  }
  static Key keyOfSite(SiteId site) { return keyOf(site, doubles(8)); }
  std::int32_t add(SiteId site) { return keys_.findOrAdd(keyOfSite(site), doubles(8)); }
  void plan(std::int32_t key, KeyState state) {
    PlanUpdate update;
    update.key = key;
    update.plan.state = state;
    keys_.apply(update);
  }
  void noteCall(EpochLengths& lengths, std::int32_t key, bool may_rest) {
    lengths.forgetKeys();
    lengths.noteCall(keys_.entry(key), may_rest);
  }
  // Ends as many epochs as a new communicator has short ones.
  static void passFirst(EpochLengths& lengths) {
    for (std::int32_t epoch = 0; epoch < kEpochsToPlan; ++epoch) lengths.noteClose();
  }

  KeyTable keys_;
};

TEST_F(EpochLengthsTest, theFirstHasTheFewestCallsUnlessTheShapeIsKnown) {
  Options options;
  options.minimum_calls = 30;
  EXPECT_EQ(EpochLengths::ofFirst(options, false), 30);
  EXPECT_EQ(EpochLengths::ofFirst(options, true), 1);
}

TEST_F(EpochLengthsTest, theFirstEpochIsFollowedByAShortOne) {
  EpochLengths lengths(options(), kSamples);
  EXPECT_EQ(lengths.limit(false), EpochLengths::kNoLimit);
  lengths.noteClose();
  EXPECT_EQ(lengths.limit(false), kShortEpoch);
  lengths.noteClose();
  EXPECT_EQ(lengths.limit(false), EpochLengths::kNoLimit);
  EXPECT_EQ(lengths.limit(true), EpochLengths::kCallsBeforeRest);
}

TEST_F(EpochLengthsTest, aKeyThatAppearsMakesThemShortUntilItHasAPlan) {
  EpochLengths lengths(options(), kSamples);
  EXPECT_FALSE(lengths.noteKey(keyOfSite(1), keys_)) << "of the first epoch nothing is known";
  passFirst(lengths);
  add(1);
  EXPECT_FALSE(lengths.noteKey(keyOfSite(1), keys_)) << "it is known";
  EXPECT_TRUE(lengths.noteKey(keyOfSite(2), keys_));
  for (std::int32_t epoch = 0; epoch < kEpochsToPlan; ++epoch) {
    EXPECT_EQ(lengths.limit(true), kShortEpoch);
    lengths.noteClose();
  }
  EXPECT_EQ(lengths.limit(true), EpochLengths::kCallsBeforeRest);
}

TEST_F(EpochLengthsTest, keysThatNeverAppearDoNotKeepThemShort) {
  EpochLengths lengths(options(), kSamples);
  passFirst(lengths);
  add(1);
  int hurried = 0;
  for (SiteId site = 2; site < 100; ++site) hurried += lengths.noteKey(keyOfSite(site), keys_) ? 1 : 0;
  EXPECT_EQ(hurried, 2 * (1 + kShortEpoch));
}

// Of thousands that are called a few times each few are worth an agreement of their own.
TEST_F(EpochLengthsTest, keysThatAppearAllTheTimeDoNotKeepThemShort) {
  EpochLengths lengths(options(), kSamples);
  passFirst(lengths);
  constexpr int kMany = 3200;
  int hurried = 0;
  for (int site = 1; site <= kMany; ++site) {
    hurried += lengths.noteKey(keyOfSite(site), keys_) ? 1 : 0;
    add(site);
    if (site == 64) {
      EXPECT_EQ(hurried, 64);
    }
  }
  EXPECT_NEAR(hurried, 64 + kMany / 32, 1);
}

TEST_F(EpochLengthsTest, nobodyHurriesWhereNothingIsTuned) {
  Options observing = options();
  observing.mode = Mode::kObserve;
  EpochLengths lengths(observing, kSamples);
  passFirst(lengths);
  EXPECT_FALSE(lengths.noteKey(keyOfSite(2), keys_));
}

TEST_F(EpochLengthsTest, callsRestWhereAllMayAndNoEpochIsToBeShort) {
  EpochLengths lengths(options(), kSamples);
  passFirst(lengths);
  const std::int32_t key = add(1);
  EXPECT_EQ(lengths.agree(1000), 256) << "without the calls that rest";
  EXPECT_EQ(lengths.mostAtRest(), 0) << "no epoch has been looked at";
  noteCall(lengths, key, false);
  EXPECT_EQ(lengths.mostAtRest(), 0);
  noteCall(lengths, key, true);
  EXPECT_EQ(lengths.mostAtRest(), 1000 - EpochLengths::kCallsBeforeRest);
  lengths.hurry();
  EXPECT_EQ(lengths.mostAtRest(), 0);
  passFirst(lengths);
  EXPECT_GT(lengths.mostAtRest(), 0);
  lengths.keepAwake();
  EXPECT_EQ(lengths.mostAtRest(), 0);
  noteCall(lengths, key, true);
  EXPECT_EQ(lengths.agree(8), 8);
  EXPECT_EQ(lengths.mostAtRest(), 0) << "all are looked at";
}

TEST_F(EpochLengthsTest, callsRestWhereAllOfASizeClassRunTheSame) {
  struct Case {
    const char* forced;
    bool rests;
  };
  for (const Case& one : {Case{"", true}, {"native", true}, {"node", true}, {"ring", false}, {"no such row", false}}) {
    Options fixed = options();
    fixed.algorithm = one.forced;
    for (const bool reproducible : {false, true}) {
      fixed.reproducible = reproducible;
      EpochLengths lengths(fixed, kSamples);
      passFirst(lengths);
      lengths.agree(1000);
      noteCall(lengths, add(1), true);
      EXPECT_EQ(lengths.mostAtRest() > 0, one.rests && !reproducible) << one.forced << ' ' << reproducible;
    }
  }
}

// One agreement of 8 us beside calls of 1 us: what it costs is a share of them, as long as it may be.
TEST_F(EpochLengthsTest, rankZeroMakesThemAsLongAsAgreeingCosts) {
  EpochLengths lengths(options(), kSamples);
  EXPECT_EQ(lengths.next(4), 4) << "nothing is known";
  std::array<EpochCall, 4> calls;
  for (EpochCall& call : calls) call.sample = 0;
  const CallSummary sample(0, 0, 1000, 0);
  lengths.noteAgreeing({6e-6});
  lengths.noteAgreeing({2e-6});
  lengths.noteAgreed();
  lengths.noteTimes(calls, std::array{sample});
  const std::int32_t key = add(1);
  noteCall(lengths, key, false);
  EXPECT_EQ(lengths.next(4), 16) << "where something is learned, all calls are stamped";
  plan(key, KeyState::kSettled);
  noteCall(lengths, key, false);
  EXPECT_EQ(lengths.next(4), 256);
  noteCall(lengths, key, true);
  EXPECT_NEAR(lengths.next(4), 8.0 / EpochPace::kShare, 1.0) << "with calls at rest";
  EXPECT_EQ(lengths.next(5000), 5000) << "the tuner wants more";
}

TEST_F(EpochLengthsTest, lookingAtCallsCostsLittleBesideThem) {
  EpochLengths lengths(options(), kSamples);
  lengths.noteAgreeing({6e-6});
  lengths.noteAgreed();
  CallLimit none;
  lengths.limitWatching(none);
  EXPECT_EQ(none, CallLimit{}) << "no call is looked at";
  CallLimit limit{.slow_ns = 8000};  // where native takes 4 us
  lengths.limitWatching(limit);
  EXPECT_EQ(limit.every, 10) << "2 us are 5 % of the time of 10 calls";
  CallLimit rare{.slow_ns = 8000, .every = 20};
  lengths.limitWatching(rare);
  EXPECT_EQ(rare.every, 20) << "the tuner's are rarer";
  CallLimit short_calls{.slow_ns = 20};
  lengths.limitWatching(short_calls);
  EXPECT_EQ(short_calls.every, static_cast<std::int32_t>(CallLimit::kRarest));
}

}  // namespace
}  // namespace starling
