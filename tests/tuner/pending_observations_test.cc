#include "tuner/pending_observations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace starling {
namespace {

PlannedChoice withSegments(std::size_t segments, bool exploration = false) {
  return {parseChoice("slt:segments=" + std::to_string(segments)).value(), exploration};
}

bool holds(const PendingObservations& pending, const PlannedChoice& planned) {
  return std::any_of(pending.entries().begin(), pending.entries().end(), [&](const PendingObservations::Entry& one) {
    return one.planned.choice == planned.choice && one.planned.exploration == planned.exploration;
  });
}

TEST(PendingObservations, keepTrialsApart) {
  PendingObservations pending;
  pending.entryOf(withSegments(4), 1).calls = 5;
  pending.entryOf(withSegments(4, true), 1).calls = 2;
  ASSERT_EQ(pending.entries().size(), 2U);
  EXPECT_EQ(pending.entryOf(withSegments(4), 1).calls, 5);
  EXPECT_EQ(pending.entryOf(withSegments(4, true), 1).calls, 2);
}

TEST(PendingObservations, mergeEpochsAndNameTheNewest) {
  PendingObservations pending;
  for (std::int64_t epoch = 3; epoch < 9; ++epoch) ++pending.entryOf(withSegments(4), epoch).calls;
  ASSERT_EQ(pending.entries().size(), 1U);
  EXPECT_EQ(pending.entries()[0].calls, 6);
  EXPECT_EQ(pending.entries()[0].epoch, 8);
}

TEST(PendingObservations, letTheOneThatWasCalledLeastLatelyGiveWay) {
  PendingObservations pending;
  for (std::size_t i = 0; i < PendingObservations::kMaxEntries; ++i) {
    pending.entryOf(withSegments(i + 1), static_cast<std::int64_t>(i));
  }
  pending.entryOf(withSegments(1), 100);
  EXPECT_EQ(pending.dropped(), 0);
  pending.entryOf(withSegments(999), 101);
  EXPECT_EQ(pending.entries().size(), PendingObservations::kMaxEntries);
  EXPECT_EQ(pending.dropped(), 1);
  EXPECT_TRUE(holds(pending, withSegments(1)));
  EXPECT_FALSE(holds(pending, withSegments(2)));
  EXPECT_TRUE(holds(pending, withSegments(999)));
  pending.clear();
  EXPECT_TRUE(pending.entries().empty());
  EXPECT_EQ(pending.dropped(), 0);
}

}  // namespace
}  // namespace starling
