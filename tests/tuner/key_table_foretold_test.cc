// Calls of a communicator whose keys have no plan yet follow what others of its shape run.
#include <gtest/gtest.h>

#include "tracked_ranks.h"
#include "tuner/key_table.h"

namespace starling {
namespace {

// For keys like those of 8 doubles.
PlanUpdate foretoldRing() {
  PlanUpdate update;
  update.key = kindOf(keyOf(kAnySite, doubles(8))).value();
  update.plan.incumbent = parseChoice("ring").value();
  update.plan.limit = {.slow_ns = 1000};
  update.plan.placed = {{.rank = 1, .place = 3, .lateness_ns = 500}};
  return update;
}

class Foretold : public testing::Test {
 protected:
  Foretold() {
    table_.reserveForetold();
    EXPECT_NE(table_.foretell(foretoldRing()), nullptr);
  }
  // Makes a call of the key, in which every rank spends so long.
  void call(std::int64_t shortest_ns) {
    KeyTable::Entry& entry = table_.entry(table_.next(key_).entry);
    ++entry.calls_since_plan;
    if (entry.noteWatched(shortest_ns)) table_.noteForetoldStop(entry);
  }
  // Puts a plan in force that was made after so many stops.
  void plan(const Key& key, const char* incumbent, std::int32_t known) {
    PlanUpdate update;
    update.key = table_.findOrAdd(key, doubles(8));
    update.plan.incumbent = parseChoice(incumbent).value();
    update.plan.limit.known = known;
    table_.apply(update);
  }

  KeyTable table_;
  const Key key_ = keyOf(kAnySite, doubles(8));
};

TEST_F(Foretold, isRunByCallsOfAnyKeyOfItsKind) {
  for (const SiteId site : {kAnySite, SiteId{1}}) {
    const KeyTable::Next next = table_.next(keyOf(site, doubles(7)));
    EXPECT_EQ(next.planned.choice, foretoldRing().plan.incumbent);
    EXPECT_FALSE(next.planned.exploration);
    EXPECT_FALSE(next.is_own);
    EXPECT_TRUE(next.isCounted());
    EXPECT_TRUE(next.is_watched) << "its first calls are looked at";
    ASSERT_TRUE(KeyTable::isForetold(next.entry));
    EXPECT_EQ(table_.entry(next.entry).plan.placed, foretoldRing().plan.placed);
  }
  EXPECT_EQ(table_.next(keyOf(1, doubles(800))).planned.choice, kNativeChoice) << "of another size class";
  Signature other = doubles(8);
  ++other.operation;
  EXPECT_EQ(table_.next(keyOf(1, other)).planned.choice, kNativeChoice) << "of another operation";
}

TEST_F(Foretold, givesWayToThePlanOfTheKeyAndToThatOfItsTwin) {
  const std::int32_t known = table_.findOrAdd(keyOf(1, doubles(8)), doubles(8));
  EXPECT_TRUE(KeyTable::isForetold(table_.next(keyOf(1, doubles(8))).entry)) << "the key has no plan yet";
  PlanUpdate update;
  update.key = known;
  update.plan.state = KeyState::kSettled;
  table_.apply(update);
  EXPECT_TRUE(table_.next(keyOf(1, doubles(8))).is_own);
  EXPECT_EQ(table_.next(keyOf(1, doubles(8))).planned.choice, kNativeChoice);
  EXPECT_EQ(table_.next(keyOf(2, doubles(8))).entry, known) << "its twin's";
}

TEST_F(Foretold, isStoppedAfterSlowCalls) {
  call(2000);
  EXPECT_EQ(table_.next(key_).planned.choice, foretoldRing().plan.incumbent);
  call(2000);
  EXPECT_EQ(table_.next(key_).planned.choice, kNativeChoice);
  EXPECT_FALSE(table_.next(key_).is_watched);
  EXPECT_EQ(table_.next(keyOf(7, doubles(6))).planned.choice, kNativeChoice) << "for all keys";
}

TEST_F(Foretold, isStoppedInPlansOfItsKindThatWereMadeBefore) {
  const Key planned = keyOf(1, doubles(8));
  plan(planned, "ring", 0);
  EXPECT_EQ(table_.next(planned).planned.choice, foretoldRing().plan.incumbent);
  // A plan of a usual key that explores is followed by no other.
  for (int i = 0; i < CallLimit::kSlowCalls; ++i) call(2000);
  EXPECT_EQ(table_.next(planned).planned.choice, kNativeChoice);
  const Key later = keyOf(2, doubles(8));
  plan(later, "ring", 0);
  EXPECT_EQ(table_.next(later).planned.choice, kNativeChoice) << "it was on its way";
  plan(later, "slt", 0);
  EXPECT_EQ(table_.next(later).planned.choice, parseChoice("slt").value()) << "nothing is known against that";
  for (const Key& key : {planned, later}) {
    plan(key, "ring", 1);
    EXPECT_EQ(table_.next(key).planned.choice, foretoldRing().plan.incumbent) << "in the knowledge of the stop";
  }
}

TEST_F(Foretold, isLookedAtSeldomAfterItsFirstCalls) {
  const std::int32_t first = table_.next(key_).entry;
  table_.entry(first).plan.limit.every = 100;
  for (int i = 0; i <= CallLimit::kFirstCalls; ++i) call(500);
  EXPECT_FALSE(table_.next(key_).is_watched);
}

TEST(KeyTable, keepsNoMoreThanItHasMemoryForOfWhatIsForetold) {
  KeyTable table;
  EXPECT_EQ(table.foretell(foretoldRing()), nullptr) << "none was reserved";
  table.reserveForetold();
  PlanUpdate update = foretoldRing();
  for (std::size_t i = 0; i < KeyTable::kMostForetold; ++i) {
    update.key = kindOf(keyOf(kAnySite, doubles(std::int64_t{1} << i))).value();
    EXPECT_NE(table.foretell(update), nullptr);
  }
  EXPECT_EQ(table.foretell(update), nullptr);
}

TEST(Kind, isOneNumberForEachKeyOfAnySite) {
  const Key key{.site = kAnySite, .size_class = 62, .type = 255, .operation = 3};
  EXPECT_EQ(keyOfKind(kindOf(key).value()), key);
  EXPECT_FALSE(kindOf({.type = 256}));
  EXPECT_FALSE(kindOf({.type = -1}));
  EXPECT_FALSE(kindOf({.operation = 1000}));
  EXPECT_FALSE(kindOf({.operation = -1}));
}

TEST(KeyTable, foretellsNothingOfAKindThatIsNone) {
  KeyTable table;
  table.reserveForetold();
  for (const std::int32_t key : {-1, 63 << 16, 1 << 30}) {
    PlanUpdate update = foretoldRing();
    update.key = key;
    EXPECT_EQ(table.foretell(update), nullptr) << key;
  }
}

}  // namespace
}  // namespace starling
