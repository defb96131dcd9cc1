// Keys that are alike keep one account of costs, which each joins, leaves, and begins with; fed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulated_communicator.h"
#include "tuner/key_tuner.h"

namespace starling {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int32_t kRanks = 4;
constexpr int kCallsInEpoch = 4;

// One site of a communicator.
class Site {
 public:
  Site(const TunerSettings& settings, const char* name)
      : key_(settings, {.ranks = kRanks, .count = 4096}, Bytes{8}, {.site = name}, true, std::nullopt) {}

  // Makes the calls of some epochs; rank 3 comes so much later than the others.
  void epochs(int count, double late = 0.0) {
    for (int epoch = 0; epoch < count; ++epoch) {
      const KeyPlan plan = key_.plan();
      for (int call = 0; call < kCallsInEpoch; ++call) makeCall(choiceOfCall(plan, call), late);
      decide();
    }
  }

  void makeCall(const PlannedChoice& planned, double late = 0.0) {
    const double time = planned.choice.algorithm == kNativeAlgorithm ? native_takes : others_take;
    std::vector<Seconds> arrivals(kRanks);
    arrivals.back() = {late};
    key_.count(planned);
    key_.observe(planned, timesOf(gym::summaryOf(arrivals, std::vector(kRanks, Seconds{late + time})), true));
  }

  // Native runs since some rank lacks memory for what was planned.
  void passOver() {
    makeCall({});
    key_.notePassedOver({}, true);
  }

  void decide() {
    const std::optional<KeyTuner::Decision> decision = key_.decide(true, kCallsInEpoch);
    if (!decision) return;
    reasons += decision->reason + "\n";
    rankings += decision->has_ranked ? 1 : 0;
    key_.planTookForce();
  }

  // All ranks have stopped the choice, whose latest calls took so long.
  void stop(double time) { key_.noteStop(key_.plan().incumbent, Seconds{time}); }

  const KeyTuner& key() const { return key_; }

  double native_takes = 1e-3;
  double others_take = 0.5e-3;
  std::string reasons;  // of all decisions, a line each
  int rankings = 0;     // of all rows, which were made

 private:
  KeyTuner key_;
};

// Lets the site settle on a row, and returns that.
Choice settled(Site& site, double late = 0.0) {
  site.epochs(30, late);
  EXPECT_EQ(site.key().state(), KeyState::kSettled);
  EXPECT_NE(site.key().plan().incumbent, kNativeChoice);
  return site.key().plan().incumbent;
}

TEST(KeyTunerAccount, aKeySaysThatItBeginsWithWhatOthersHaveFound) {
  const TunerSettings settings = settingsOf();
  Site one(settings, "one");
  one.epochs(12);
  ASSERT_NE(one.key().plan().incumbent, kNativeChoice);
  Site another(settings, "another");
  another.epochs(2);
  EXPECT_EQ(another.key().plan().incumbent, one.key().plan().incumbent);
  EXPECT_THAT(another.reasons, HasSubstr("is known and holds here, too. "));
  EXPECT_EQ(&another.key().costs(), &one.key().costs());
}

TEST(KeyTunerAccount, aKeyThatJoinsOthersWhoExploreDoesSoToo) {
  for (const bool do_others_explore : {false, true}) {
    const TunerSettings settings = settingsOf();
    Site late(settings, "late");
    Site other(settings, "other");
    settled(late, 20e-3);
    settled(other);
    ASSERT_NE(&late.key().costs(), &other.key().costs());
    if (do_others_explore) {
      late.others_take = other.others_take = 5e-3;
      late.epochs(2, 20e-3);
      ASSERT_EQ(late.key().state(), KeyState::kExploring);
    }
    bool has_explored = false;
    for (int epoch = 0; epoch < 3 && &late.key().costs() != &other.key().costs(); ++epoch) {
      other.epochs(1, 20e-3);
      has_explored = other.key().state() == KeyState::kExploring;
    }
    ASSERT_EQ(&late.key().costs(), &other.key().costs()) << other.reasons;
    EXPECT_EQ(has_explored, do_others_explore) << other.reasons;
  }
}

TEST(KeyTunerAccount, oneStopThatMeetsTwoKeysCountsOnce) {
  const TunerSettings settings = settingsOf();
  Site one(settings, "one");
  Site other(settings, "other");
  const Choice chosen = settled(one);
  ASSERT_EQ(settled(other), chosen);
  ASSERT_EQ(&one.key().costs(), &other.key().costs());
  const KeyCosts& costs = one.key().costs();
  const std::size_t stopped = costs.armOf(chosen);
  one.stop(5e-3);
  other.stop(5e-3);
  one.decide();
  const KeyCosts::Ratio once = costs.nativeBeside(stopped);
  EXPECT_LT(once.logarithm, 0.0);
  other.decide();
  EXPECT_EQ(other.key().plan().incumbent, kNativeChoice);
  EXPECT_EQ(costs.nativeBeside(stopped).logarithm, once.logarithm);
  EXPECT_EQ(costs.nativeBeside(stopped).deviation, once.deviation);
  EXPECT_EQ(&one.key().costs(), &other.key().costs());
}

TEST(KeyTunerAccount, aChoiceThatIsSlowWhereRanksComeOtherwiseStaysThatOfOthers) {
  const TunerSettings settings = settingsOf();
  Site one(settings, "one");
  Site other(settings, "other");
  const Choice chosen = settled(one);
  ASSERT_EQ(settled(other), chosen);
  other.others_take = 5e-3;
  for (int call = 0; call < kCallsInEpoch; ++call) other.makeCall({chosen}, 20e-3);
  other.stop(5e-3);
  other.decide();
  EXPECT_EQ(other.key().plan().incumbent, kNativeChoice);
  ASSERT_NE(&one.key().costs(), &other.key().costs());
  one.epochs(20);
  EXPECT_EQ(one.key().plan().incumbent, chosen);
}

// It may be good again, whatever made it slow.
TEST(KeyTunerAccount, aChoiceThatIsStoppedWhenARankComesLateIsTriedAgain) {
  const TunerSettings settings = settingsOf();
  Site site(settings, "one");
  const Choice chosen = settled(site);
  site.others_take = 5e-3;
  for (int call = 0; call < kCallsInEpoch; ++call) site.makeCall({chosen}, 20e-3);
  site.stop(5e-3);
  site.decide();
  EXPECT_EQ(site.key().plan().incumbent, kNativeChoice);
  EXPECT_TRUE(site.key().plan().foreseesLateRank()) << "so that the test shows something";
  EXPECT_GT(site.key().costs().arms()[site.key().costs().armOf(chosen)].retry_at, 0);
}

// They run it with another table.
TEST(KeyTunerAccount, aChoiceThatIsStoppedWhenAKeyJoinsOthersStaysThatOfTheOthers) {
  const TunerSettings settings = settingsOf();
  Site late(settings, "late");
  Site other(settings, "other");
  const Choice chosen = settled(late, 20e-3);
  const Choice stopped = settled(other);
  const double before = late.key().costs().expected(late.key().costs().armOf(stopped)).value;
  for (int call = 0; call < kCallsInEpoch; ++call) other.makeCall({stopped}, 20e-3);
  other.stop(5e-3);
  other.decide();
  EXPECT_EQ(other.key().plan().incumbent, kNativeChoice);
  ASSERT_EQ(&late.key().costs(), &other.key().costs());
  EXPECT_NEAR(late.key().costs().expected(late.key().costs().armOf(stopped)).value, before, 0.05 * before);
  late.epochs(10, 20e-3);
  EXPECT_EQ(late.key().plan().incumbent, chosen);
}

// Rows are known to be fast when the site has joined the others.
TEST(KeyTunerAccount, aLateRankThatMadeNoDifferenceToLongCallsMakesOneToShortOnes) {
  const TunerSettings settings = settingsOf();
  Site one(settings, "one");
  Site other(settings, "other");
  for (Site* site : {&one, &other}) {
    site->native_takes = 20e-3;
    site->others_take = 1e-3;
  }
  one.epochs(1);
  other.epochs(2, 1.5e-3);
  ASSERT_TRUE(other.key().plan().foreseesLateRank());
  ASSERT_EQ(&one.key().costs(), &other.key().costs());
  for (int epoch = 0; epoch < 20; ++epoch) {
    one.epochs(1);
    other.epochs(1, 1.5e-3);
  }
  EXPECT_NE(&one.key().costs(), &other.key().costs()) << other.reasons;
  EXPECT_THAT(other.reasons, HasSubstr("Rows are ranked for how ranks come now."));
  EXPECT_THAT(other.reasons, Not(HasSubstr("Arrivals changed")));
}

// A ranking takes 0.7 ms here, and 2% of the time of calls may go into them.
TEST(KeyTunerAccount, theTimeOfAllKeysPaysForOneRanking) {
  const TunerSettings settings = settingsOf();
  Site one(settings, "one");
  Site other(settings, "other");
  settled(one);
  settled(other);
  ASSERT_EQ(&one.key().costs(), &other.key().costs());
  const int before = other.rankings;
  one.epochs(2, 0.2e-3);
  EXPECT_EQ(one.rankings, 2);
  other.epochs(3, 0.6e-3);
  EXPECT_TRUE(other.key().plan().foreseesLateRank());
  EXPECT_EQ(other.rankings, before) << "one has ranked at its cost";
  other.epochs(40, 0.6e-3);
  EXPECT_EQ(other.rankings, before + 1);
}

// Native is what such calls run where a rank lacks memory.
TEST(KeyTunerAccount, whatRanksCannotUseAnyMoreGivesWayInWords) {
  const TunerSettings settings = settingsOf();
  Site site(settings, "one");
  const Choice chosen = settled(site);
  site.reasons.clear();
  for (int call = 1; call <= 120; ++call) {
    site.passOver();
    if (call % kCallsInEpoch == 0) site.decide();
  }
  EXPECT_NE(site.key().plan().incumbent, chosen);
  EXPECT_THAT(site.reasons, HasSubstr(formatChoice(chosen) + " cannot be used here"));
  EXPECT_THAT(site.reasons, HasSubstr("place of " + formatChoice(chosen)));
}

TEST(KeyTunerAccount, callsThatWereMadeBeforeAPlanTookForceDoNotTellThatRanksLackMemoryForIt) {
  const TunerSettings settings = settingsOf();
  Site site(settings, "one");
  for (int epoch = 0; epoch < 30 && site.key().plan().incumbent == kNativeChoice; ++epoch) site.epochs(1);
  const Choice chosen = site.key().plan().incumbent;
  ASSERT_NE(chosen, kNativeChoice);
  for (int call = 0; call < 100; ++call) site.passOver();
  site.decide();
  site.epochs(2);
  EXPECT_THAT(site.reasons, Not(HasSubstr("lacks memory")));
  const KeyCosts& costs = site.key().costs();
  EXPECT_TRUE(costs.arms()[costs.armOf(chosen)].isUsable());
}

}  // namespace
}  // namespace starling
