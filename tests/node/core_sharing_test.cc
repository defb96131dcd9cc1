#include "node/core_sharing.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace starling {
namespace {

using Way = CoreSharing::Way;

constexpr std::int64_t kNow = 1'000'000'000;
constexpr std::int64_t kLong = 2'000'000;  // ns of a yield
constexpr std::int64_t kShort = 10'000;    // ns
constexpr std::int64_t kWaited = CoreSharing::kYieldAfter;

TEST(CoreSharing, looksAtFirstAndThenYieldsOnce) {
  const CoreSharing sharing;
  EXPECT_FALSE(sharing.isShared());
  EXPECT_EQ(sharing.wayAt(kNow, kWaited - 1), Way::kLook);
  EXPECT_EQ(sharing.wayAt(kNow, kWaited), Way::kYield);
}

// A yield may take long because of an interrupt, or of another virtual machine.
TEST(CoreSharing, yieldsNowAndThenWhereNobodyElseHadTheCore) {
  for (const std::int64_t took : {kShort, kLong}) {
    CoreSharing sharing;
    sharing.note(kNow, took, false);
    EXPECT_FALSE(sharing.isShared());
    EXPECT_EQ(sharing.wayAt(kNow + CoreSharing::kYieldEvery - 1, kWaited), Way::kLook);
    EXPECT_EQ(sharing.wayAt(kNow + CoreSharing::kYieldEvery, kWaited), Way::kYield);
  }
}

TEST(CoreSharing, yieldsAtOnceToWhoGivesTheCoreBackUntilNobodyWantsIt) {
  CoreSharing sharing;
  sharing.note(kNow, kShort, true);
  EXPECT_TRUE(sharing.isShared());
  EXPECT_EQ(sharing.wayAt(kNow, 0), Way::kYield);
  sharing.note(kNow, kShort, false);
  EXPECT_FALSE(sharing.isShared());
  EXPECT_EQ(sharing.wayAt(kNow, 0), Way::kLook);
}

TEST(CoreSharing, sleepsBesideWhoKeepsTheCoreAndYieldsLessAndLessOften) {
  CoreSharing sharing;
  std::int64_t now = kNow;
  std::int64_t pause = CoreSharing::kShortestPause;
  for (int i = 0; i < 10; ++i) {
    sharing.note(now, kLong, true);
    EXPECT_FALSE(sharing.isShared());
    EXPECT_EQ(sharing.wayAt(now, kWaited - 1), Way::kLook) << "pause " << i;
    EXPECT_EQ(sharing.wayAt(now + pause - 1, kWaited), Way::kSleep) << "pause " << i;
    EXPECT_EQ(sharing.wayAt(now + pause, kWaited), Way::kYield) << "pause " << i;
    now += pause;
    sharing.note(now, kShort, false);  // it waits for something itself, and comes again
    EXPECT_EQ(sharing.wayAt(now, kWaited), Way::kLook) << "pause " << i;
    if (pause < CoreSharing::kLongestPause) pause *= 2;
  }
  EXPECT_EQ(pause, CoreSharing::kLongestPause);
  for (int i = 0; i < CoreSharing::kYieldsAlone; ++i) sharing.note(now, kShort, false);
  sharing.note(now, kLong, true);
  EXPECT_EQ(sharing.wayAt(now + CoreSharing::kShortestPause, kWaited), Way::kYield) << "it had gone for long";
}

}  // namespace
}  // namespace starling
