#include "tuner/key_table.h"

#include <gtest/gtest.h>

#include "tracked_ranks.h"

namespace starling {
namespace {

PlanUpdate updateOf(std::int32_t key, const char* choice) {
  PlanUpdate update;
  update.key = key;
  update.plan.incumbent = parseChoice(choice).value();
  update.plan.state = KeyState::kSettled;
  return update;
}

// So many calls of a choice that is not stopped show that it is no worse than native.
constexpr std::int64_t kCallsToProve = CallLimit::kFirstCalls + 1;

TEST(SizeClass, holdsTheBytesUpToItsPowerOfTwo) {
  EXPECT_EQ(sizeClass(0), 0);
  EXPECT_EQ(sizeClass(1), 0);
  for (std::int32_t size_class = 1; size_class < 62; ++size_class) {
    const std::int64_t power = std::int64_t{1} << size_class;
    EXPECT_EQ(sizeClass(power), size_class);
    EXPECT_EQ(sizeClass(power / 2 + 1), size_class);
    EXPECT_EQ(sizeClass(power + 1), size_class + 1);
  }
}

TEST(Key, isSharedByCallsOfOneSizeClassOnly) {
  EXPECT_EQ(keyOf(1, doubles(100)), keyOf(1, doubles(128)));
  EXPECT_NE(keyOf(1, doubles(128)), keyOf(1, doubles(129)));
  EXPECT_NE(keyOf(1, doubles(128)), keyOf(2, doubles(128)));
  Signature of_other_type = doubles(128);
  of_other_type.type = 2;
  EXPECT_NE(keyOf(1, doubles(128)), keyOf(1, of_other_type));
  Signature of_other_operation = doubles(128);
  of_other_operation.operation = 2;
  EXPECT_NE(keyOf(1, doubles(128)), keyOf(1, of_other_operation));
}

TEST(KeyTable, numbersKeysInTheOrderInWhichTheyAreMet) {
  KeyTable table;
  EXPECT_EQ(table.findOrAdd(keyOf(2, doubles(8)), doubles(8)), 0);
  EXPECT_EQ(table.findOrAdd(keyOf(1, doubles(8)), doubles(8)), 1);
  EXPECT_EQ(table.findOrAdd(keyOf(2, doubles(8)), doubles(8)), 0);
  EXPECT_EQ(table.size(), 2);
  EXPECT_EQ(table.find(keyOf(1, doubles(8))), 1);
  EXPECT_EQ(table.find(keyOf(3, doubles(8))), std::nullopt);
}

TEST(KeyTable, knowsWhichKindsOfCallsItHas) {
  KeyTable table;
  const Signature signature = doubles(100);
  const Key kind = keyOf(kAnySite, signature);
  EXPECT_FALSE(table.hasKind(kind));
  table.findOrAdd(keyOf(7, signature), signature);
  EXPECT_TRUE(table.hasKind(kind)) << "of whichever site";
  EXPECT_FALSE(table.hasKind(keyOf(kAnySite, doubles(1000))));
}

TEST(KeyTable, keepsTheLatestSignatureOfAKey) {
  KeyTable table;
  const std::int32_t key = table.findOrAdd(keyOf(1, doubles(100)), doubles(100));
  EXPECT_EQ(table.findOrAdd(keyOf(1, doubles(120)), doubles(120)), key);
  EXPECT_EQ(table.entry(key).signature.count, 120);
  EXPECT_EQ(table.entry(key).key, keyOf(1, doubles(100)));
}

TEST(KeyTable, startsKeysOnNative) {
  KeyTable table;
  const std::int32_t key = table.findOrAdd(keyOf(1, doubles(8)), doubles(8));
  EXPECT_EQ(table.entry(key).plan.incumbent.algorithm, kNativeAlgorithm);
  EXPECT_EQ(table.entry(key).plan.state, KeyState::kObserving);
}

TEST(KeyTable, countsCallsAnewWhenAPlanTakesForce) {
  KeyTable table;
  const std::int32_t first = table.findOrAdd(keyOf(1, doubles(8)), doubles(8));
  const std::int32_t second = table.findOrAdd(keyOf(2, doubles(8)), doubles(8));
  table.entry(first).calls_since_plan = 5;
  table.entry(second).calls_since_plan = 6;
  table.apply(updateOf(first, "ring"));
  EXPECT_EQ(table.entry(first).plan.incumbent, parseChoice("ring").value());
  EXPECT_EQ(table.entry(first).calls_since_plan, 0);
  EXPECT_EQ(table.entry(second).plan.incumbent.algorithm, kNativeAlgorithm);
  EXPECT_EQ(table.entry(second).calls_since_plan, 6);
  table.apply(updateOf(first, "slt"));
  EXPECT_EQ(table.entry(first).plan.incumbent, parseChoice("slt").value());
}

PlanUpdate limitedRing(std::int32_t known) {
  PlanUpdate update;
  update.plan.incumbent = parseChoice("ring").value();
  update.plan.limit = {.slow_ns = 1000, .every = 4, .known = known};
  return update;
}

TEST(KeyTable, stopsAnIncumbentAfterSlowCallsInARow) {
  KeyTable table;
  table.findOrAdd(Key{}, Signature{});
  table.apply(limitedRing(0));
  KeyTable::Entry& entry = table.entry(0);
  EXPECT_FALSE(entry.noteWatched(1001));
  EXPECT_FALSE(entry.noteWatched(1000)) << "not slow";
  EXPECT_FALSE(entry.noteWatched(1001));
  EXPECT_FALSE(entry.is_stopped);
  EXPECT_TRUE(entry.noteWatched(1001));
  EXPECT_TRUE(entry.is_stopped);
  EXPECT_FALSE(entry.noteWatched(1001)) << "a call that was under way";
  EXPECT_EQ(entry.times_stopped, 1);
}

TEST(KeyTable, countsSlowCallsOfAnotherIncumbentAnew) {
  KeyTable table;
  table.findOrAdd(Key{}, Signature{});
  table.apply(limitedRing(0));
  KeyTable::Entry& entry = table.entry(0);
  EXPECT_FALSE(entry.noteWatched(1001));
  PlanUpdate other = limitedRing(0);
  other.plan.incumbent = parseChoice("rabenseifner").value();
  table.apply(other);
  EXPECT_FALSE(entry.noteWatched(1001)) << "the first of this one";
  EXPECT_TRUE(entry.noteWatched(1001));
}

TEST(KeyTable, keepsAnIncumbentStoppedUntilAPlanKnowsOfIt) {
  KeyTable table;
  table.findOrAdd(Key{}, Signature{});
  table.apply(limitedRing(0));
  KeyTable::Entry& entry = table.entry(0);
  for (int call = 0; call < CallLimit::kSlowCalls; ++call) entry.noteWatched(1001);
  table.apply(limitedRing(0));
  EXPECT_TRUE(entry.is_stopped) << "the plan was made before";
  table.apply(limitedRing(1));
  EXPECT_FALSE(entry.is_stopped);
  for (int call = 0; call < CallLimit::kSlowCalls; ++call) entry.noteWatched(1001);
  PlanUpdate other = limitedRing(1);
  other.plan.incumbent = parseChoice("rabenseifner").value();
  table.apply(other);
  EXPECT_FALSE(entry.is_stopped) << "another incumbent";
}

TEST(KeyTable, looksAtTheFirstCallsThenAtOneInSomeAndAtThoseAfterASlowOne) {
  KeyTable table;
  table.findOrAdd(Key{}, Signature{});
  KeyTable::Entry& entry = table.entry(0);
  EXPECT_FALSE(entry.isWatched()) << "no limit";
  table.apply(limitedRing(0));
  for (entry.calls_since_plan = 0; entry.calls_since_plan < CallLimit::kFirstCalls; ++entry.calls_since_plan) {
    EXPECT_TRUE(entry.isWatched());
  }
  entry.calls_since_plan = 5;
  EXPECT_FALSE(entry.isWatched());
  entry.noteWatched(1001);
  EXPECT_TRUE(entry.isWatched());
  entry.noteWatched(1);
  EXPECT_FALSE(entry.isWatched());
  entry.calls_since_plan = 8;
  EXPECT_TRUE(entry.isWatched());
}

TEST(KeyTable, doesNotLookAtCallsThatFindNothingInTheCaches) {
  KeyTable table;
  table.findOrAdd(Key{}, Signature{});
  PlanUpdate update = limitedRing(0);
  update.plan.limit.cold = 2;
  table.apply(update);
  KeyTable::Entry& entry = table.entry(0);
  for (entry.calls_since_plan = 0; entry.calls_since_plan < 2; ++entry.calls_since_plan) {
    EXPECT_FALSE(entry.isWatched());
  }
  for (int call = 0; call < CallLimit::kFirstCalls; ++call, ++entry.calls_since_plan) {
    EXPECT_TRUE(entry.isWatched());
    EXPECT_FALSE(entry.isProved());
  }
  ++entry.calls_since_plan;
  EXPECT_TRUE(entry.isProved());
}

TEST(KeyTable, stopsNothingForWhatAnAgreementMakesLonger) {
  KeyTable table;
  table.findOrAdd(Key{}, Signature{});
  table.apply(limitedRing(0));
  KeyTable::Entry& entry = table.entry(0);
  for (int call = 0; call < 10; ++call) EXPECT_FALSE(entry.noteWatched(1000 + CallLimit::kMostDisturbanceNs, true));
  EXPECT_FALSE(entry.noteWatched(1001 + CallLimit::kMostDisturbanceNs, true));
  EXPECT_TRUE(entry.noteWatched(1001)) << "what is slow even so counts";
}

TEST(KeyTable, noticesOnceForEachArrangementThatAnotherRankIsLate) {
  KeyTable table;
  table.findOrAdd(Key{}, Signature{});
  PlanUpdate update = limitedRing(0);
  update.plan.placed = {{.rank = 2, .place = 6, .lateness_ns = 8000}, {.rank = 5, .place = 7, .lateness_ns = 9000}};
  table.apply(update);
  KeyTable::Entry& entry = table.entry(0);
  entry.calls_since_plan = 5;
  EXPECT_FALSE(entry.noteLast(5));
  EXPECT_FALSE(entry.noteLast(2)) << "about as late";
  EXPECT_FALSE(entry.noteLast(3));
  EXPECT_TRUE(entry.isWatched()) << "the next call may confirm it";
  EXPECT_FALSE(entry.noteLast(4)) << "another one again";
  EXPECT_TRUE(entry.noteLast(4));
  EXPECT_FALSE(entry.noteLast(4)) << "it is known";
  EXPECT_FALSE(entry.isWatched());
  table.apply(update);
  EXPECT_FALSE(entry.noteLast(4)) << "still for this arrangement";
  update.plan.placed = {{.rank = 4, .place = 7, .lateness_ns = 9000}};
  table.apply(update);
  EXPECT_FALSE(entry.noteLast(6));
  EXPECT_TRUE(entry.noteLast(6));
}

TEST(KeyTable, noticesThatAnotherRankIsLateInCallsInARowOnly) {
  KeyTable table;
  table.findOrAdd(Key{}, Signature{});
  PlanUpdate update = limitedRing(0);
  update.plan.placed = {{.rank = 5, .place = 7, .lateness_ns = 9000}};
  table.apply(update);
  KeyTable::Entry& entry = table.entry(0);
  EXPECT_FALSE(entry.noteLast(3));
  EXPECT_FALSE(entry.noteLast(5)) << "as foreseen";
  EXPECT_FALSE(entry.noteLast(3));
  EXPECT_TRUE(entry.noteLast(3));
}

TEST(KeyTable, looksAtFewCallsMoreWhereRanksTakeTurnsInBeingLast) {
  KeyTable table;
  table.findOrAdd(Key{}, Signature{});
  PlanUpdate update = limitedRing(0);
  update.plan.placed = {{.rank = 5, .place = 7, .lateness_ns = 9000}};
  table.apply(update);
  KeyTable::Entry& entry = table.entry(0);
  int confirming = 0;
  for (int call = 0; call < 1000; ++call) {
    entry.calls_since_plan = 5;  // which is not looked at for its number
    if (!entry.isWatched()) {
      entry.calls_since_plan = 8;
      ASSERT_TRUE(entry.isWatched());
    } else {
      ++confirming;
    }
    EXPECT_FALSE(entry.noteLast(call % 3));
  }
  EXPECT_EQ(confirming, KeyTable::Entry::kMostUnconfirmed);
  entry.noteLast(1);
  EXPECT_TRUE(entry.noteLast(1)) << "one that stays is noticed all the same";
}

TEST(KeyTable, hasNobodyLateInAPlanThatArrangesNothing) {
  KeyTable table;
  table.findOrAdd(Key{}, Signature{});
  table.apply(limitedRing(0));
  for (int call = 0; call < 10; ++call) EXPECT_FALSE(table.entry(0).noteLast(3));
}

// A key that was resolved `calls` times, with a cycle in force.
KeyTable tableWithCycle(int calls, const Cycle& cycle) {
  KeyTable table;
  for (int call = 0; call < calls; ++call) table.resolve(keyOf(1, doubles(8)), doubles(8), -1);
  PlanUpdate update = updateOf(0, "ring");
  update.plan.cycle = cycle;
  table.apply(update);
  return table;
}

constexpr Cycle kEveryThird{.period = 3, .special = 0b100};

TEST(KeyTable, countsTheCallsOfAKeyAndCorrectsWhatWasPredictedWrong) {
  KeyTable table;
  const Key first = keyOf(1, doubles(8));
  const Key second = keyOf(2, doubles(8));
  EXPECT_EQ(table.count(first), -1) << "it is not known yet";
  EXPECT_EQ(table.resolve(first, doubles(8), -1).index, 0);
  EXPECT_EQ(table.resolve(second, doubles(8), -1).index, 0);
  EXPECT_EQ(table.entry(0).calls, 1);
  EXPECT_EQ(table.count(first), 0);
  EXPECT_EQ(table.count(first), 0);
  EXPECT_EQ(table.entry(0).calls, 3);
  EXPECT_EQ(table.entry(0).known_calls, 1);
  EXPECT_EQ(table.resolve(first, doubles(8), 0).index, 1);
  const KeyTable::Place moved = table.resolve(second, doubles(8), 0);
  EXPECT_EQ(moved.usual, 1);
  EXPECT_EQ(moved.key, 1);
  EXPECT_EQ(moved.index, 1);
  for (const std::int32_t key : {0, 1}) EXPECT_EQ(table.entry(key).calls, 2);
  for (const std::int32_t key : {0, 1}) EXPECT_EQ(table.entry(key).known_calls, 2);
}

TEST(KeyTable, sendsSpecialCallsToAKeyOfTheirOwn) {
  const Key key = keyOf(1, doubles(8));
  KeyTable table = tableWithCycle(9, kEveryThird);
  for (int call = 9; call < 30; ++call) {
    EXPECT_EQ(table.next(key).is_special, call % 3 == 2) << call;
    EXPECT_EQ(table.count(key), 0);
  }
  EXPECT_FALSE(table.next(keyOf(2, doubles(8))).is_special);
  KeyTable::Place place = table.resolve(key, doubles(8), 0);
  EXPECT_TRUE(place.lacks_part);
  EXPECT_EQ(place.key, 0);
  EXPECT_EQ(table.addSpecial(0), 1);
  for (std::int64_t index = 10; index < 30; ++index) {
    place = table.resolve(key, doubles(8), 0);
    EXPECT_FALSE(place.lacks_part);
    EXPECT_EQ(place.index, index);
    EXPECT_EQ(place.usual, 0);
    EXPECT_EQ(place.key, index % 3 == 2 ? 1 : 0);
  }
}

TEST(KeyTable, letsSpecialCallsFollowTheUsualOnesUntilTheyHaveAPlanAndNobodyFollowThem) {
  const Key key = keyOf(1, doubles(8));
  KeyTable table = tableWithCycle(2, kEveryThird);
  EXPECT_TRUE(table.next(key).is_special);
  EXPECT_EQ(table.next(key).planned.choice.algorithm, kNativeAlgorithm) << "the usual plan is not proved yet";
  table.entry(0).calls_since_plan = kCallsToProve;
  const std::int32_t special = table.addSpecial(0);
  EXPECT_EQ(table.next(key).entry, 0);
  EXPECT_FALSE(table.next(key).is_own);
  EXPECT_EQ(table.next(key).planned.choice, parseChoice("ring").value());
  table.apply(updateOf(special, "slt"));
  EXPECT_EQ(table.next(key).entry, special);
  EXPECT_TRUE(table.next(key).is_own);
  table.entry(special).calls_since_plan = kCallsToProve;
  EXPECT_EQ(table.next(keyOf(2, doubles(8))).entry, 0);
}

TEST(KeyTable, hasNoPlanForWhatItDoesNotKnow) {
  const KeyTable table;
  const KeyTable::Next next = table.next(keyOf(1, doubles(8)));
  EXPECT_LT(next.entry, 0);
  EXPECT_FALSE(next.is_own);
  EXPECT_EQ(next.planned.choice.algorithm, kNativeAlgorithm);
}

TEST(KeyTable, letsAKeyFollowItsTwinUntilItHasAPlan) {
  KeyTable table;
  table.findOrAdd(keyOf(1, doubles(8)), doubles(8));
  table.apply(updateOf(0, "ring"));
  table.entry(0).calls_since_plan = kCallsToProve;
  const Key other_site = keyOf(2, doubles(8));
  EXPECT_EQ(table.next(other_site).entry, 0) << "even before the key is known";
  const std::int32_t key = table.findOrAdd(other_site, doubles(8));
  KeyTable::Next next = table.next(other_site);
  EXPECT_EQ(next.entry, 0);
  EXPECT_EQ(next.planned.choice, parseChoice("ring").value());
  EXPECT_FALSE(next.is_own);
  EXPECT_FALSE(next.is_watched);
  EXPECT_LT(table.next(keyOf(2, doubles(800))).entry, 0) << "of another size class";
  table.apply(updateOf(key, "slt"));
  next = table.next(other_site);
  EXPECT_EQ(next.entry, key);
  EXPECT_TRUE(next.is_own);
  EXPECT_EQ(next.planned.choice, parseChoice("slt").value());
  EXPECT_EQ(table.next(keyOf(3, doubles(8))).entry, key) << "the one that settled last";
}

TEST(KeyTable, letsNoKeyFollowOneThatHasNotSettledNorTryWhatItTries) {
  KeyTable table;
  table.findOrAdd(keyOf(1, doubles(8)), doubles(8));
  PlanUpdate update = updateOf(0, "ring");
  update.plan.trials = {parseChoice("slt").value()};
  update.plan.state = KeyState::kExploring;
  table.apply(update);
  EXPECT_LT(table.next(keyOf(2, doubles(8))).entry, 0);
  table.entry(0).calls_since_plan = 1 + kCallsToProve;
  update.plan.state = KeyState::kSettled;
  table.apply(update);
  EXPECT_TRUE(table.next(keyOf(1, doubles(8))).planned.exploration);
  const KeyTable::Next next = table.next(keyOf(2, doubles(8)));
  EXPECT_FALSE(next.planned.exploration);
  EXPECT_EQ(next.planned.choice, parseChoice("ring").value());
}

TEST(KeyTable, letsNoKeyFollowWhatHasNotPassedItsFirstCalls) {
  KeyTable table;
  const Key other_site = keyOf(2, doubles(8));
  table.findOrAdd(keyOf(1, doubles(8)), doubles(8));
  table.apply(updateOf(0, "ring"));
  table.entry(0).calls_since_plan = kCallsToProve - 1;
  EXPECT_EQ(table.next(other_site).planned.choice.algorithm, kNativeAlgorithm);
  table.apply(updateOf(0, "ring"));
  EXPECT_EQ(table.next(other_site).planned.choice.algorithm, kNativeAlgorithm);
  ++table.entry(0).calls_since_plan;
  EXPECT_EQ(table.next(other_site).planned.choice, parseChoice("ring").value()) << "calls by both plans count";
  table.apply(updateOf(0, "slt"));
  EXPECT_EQ(table.next(other_site).planned.choice.algorithm, kNativeAlgorithm) << "another choice";
}

TEST(KeyTable, runsNativeInPlaceOfWhatIsStopped) {
  KeyTable table;
  table.findOrAdd(keyOf(1, doubles(8)), doubles(8));
  PlanUpdate update = updateOf(0, "ring");
  update.plan.limit = {.slow_ns = 1000, .every = 1};
  table.apply(update);
  EXPECT_TRUE(table.next(keyOf(1, doubles(8))).is_watched);
  for (int call = 0; call < CallLimit::kSlowCalls; ++call) table.entry(0).noteWatched(1001);
  EXPECT_EQ(table.next(keyOf(1, doubles(8))).planned.choice.algorithm, kNativeAlgorithm);
  EXPECT_FALSE(table.next(keyOf(1, doubles(8))).is_watched);
  EXPECT_EQ(table.next(keyOf(2, doubles(8))).planned.choice.algorithm, kNativeAlgorithm) << "the twin's, too";
}

TEST(KeyTable, ignoresPlansOfKeysThatItDoesNotHave) {
  KeyTable table;
  table.findOrAdd(keyOf(1, doubles(8)), doubles(8));
  table.apply(updateOf(1, "ring"));
  table.apply(updateOf(-1, "ring"));
  EXPECT_EQ(table.size(), 1);
  EXPECT_EQ(table.entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
}

TEST(KeyTable, appliesAnUpdateOfAKeyThatItDoesNotHaveToNone) {
  KeyTable keys;
  const std::int32_t key = keys.findOrAdd(keyOf(1, doubles(8)), doubles(8));
  EXPECT_EQ(keys.apply(updateOf(key, "ring")), &keys.entry(key));
  EXPECT_EQ(keys.apply(updateOf(key + 1, "ring")), nullptr);
  EXPECT_EQ(keys.apply(updateOf(-1, "ring")), nullptr);
}

}  // namespace
}  // namespace starling
