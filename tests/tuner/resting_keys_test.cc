#include "tuner/resting_keys.h"

#include <gtest/gtest.h>

#include "tracked_ranks.h"

namespace starling {
namespace {

class RestingKeysTest : public testing::Test {
 protected:
  std::int32_t add(SiteId site, std::int64_t count) {
    return table_.findOrAdd(keyOf(site, doubles(count)), doubles(count));
  }
  void plan(std::int32_t key, const char* choice, KeyState state = KeyState::kSettled) {
    PlanUpdate update;
    update.key = key;
    update.plan.incumbent = parseChoice(choice).value();
    update.plan.state = state;
    if (state == KeyState::kExploring) update.plan.trials.push_back(parseChoice("ring").value());
    table_.apply(update);
  }
  bool mayRest(std::int64_t count, SiteId site = kAnySite) {
    resting_.refresh(table_);
    return resting_.choiceAtRest(keyOf(site, doubles(count))) != nullptr;
  }

  KeyTable table_;
  RestingKeys resting_;
};

TEST_F(RestingKeysTest, callsOfSettledNativeKeysRestFromWhicheverSite) {
  const std::int32_t key = add(1, 8);
  EXPECT_FALSE(mayRest(8)) << "it has no plan";
  plan(key, "native", KeyState::kObserving);
  EXPECT_FALSE(mayRest(8));
  plan(key, "native", KeyState::kExploring);
  EXPECT_FALSE(mayRest(8));
  plan(key, "native");
  EXPECT_TRUE(resting_.isAtRest(table_.entry(key)));
  EXPECT_TRUE(mayRest(8, 1));
  EXPECT_TRUE(mayRest(8, 7)) << "a site that is not known yet runs native, too";
  EXPECT_FALSE(mayRest(16)) << "another size";
  EXPECT_FALSE(resting_.choiceAtRest({}) != nullptr);
}

TEST_F(RestingKeysTest, nothingRestsBeforeItsTrialsAreMade) {
  const std::int32_t key = add(1, 8);
  PlanUpdate update;
  update.key = key;
  update.plan.state = KeyState::kSettled;
  update.plan.trials.push_back(parseChoice("ring").value());
  table_.apply(update);
  EXPECT_FALSE(mayRest(8));
  table_.entry(key).calls_since_plan = 1;
  EXPECT_TRUE(mayRest(8));
}

TEST_F(RestingKeysTest, nothingRestsBeforeAnotherSiteHasMadeItsTrials) {
  plan(add(1, 8), "native");
  const std::int32_t other = add(2, 8);
  PlanUpdate update;
  update.key = other;
  update.plan.state = KeyState::kSettled;
  update.plan.trials.push_back(parseChoice("ring").value());
  table_.apply(update);
  EXPECT_FALSE(mayRest(8, 1));
  table_.entry(other).calls_since_plan = 1;
  EXPECT_TRUE(mayRest(8, 1));
}

TEST_F(RestingKeysTest, nothingRestsThatHasToBeCounted) {
  const std::int32_t key = add(1, 8);
  PlanUpdate update;
  update.key = key;
  update.plan.state = KeyState::kSettled;
  update.plan.cycle = {.period = 2, .special = 1};
  table_.apply(update);
  EXPECT_FALSE(mayRest(8));
  EXPECT_FALSE(resting_.isAtRest(table_.entry(key)));
  plan(table_.addSpecial(key), "ring");
  EXPECT_FALSE(mayRest(8));
  plan(key, "native");
  EXPECT_TRUE(mayRest(8)) << "the special calls are none any more";
}

TEST_F(RestingKeysTest, whatPassesThroughRests) {
  plan(add(1, 8), "native", KeyState::kPassesThrough);
  EXPECT_TRUE(mayRest(8));
}

TEST_F(RestingKeysTest, nothingRestsWhereAnotherSiteHasAChoice) {
  plan(add(1, 8), "native");
  const std::int32_t other = add(2, 8);
  EXPECT_TRUE(mayRest(8)) << "a site that was called a few times when the program began";
  plan(other, "ring");
  EXPECT_FALSE(resting_.isAtRest(table_.entry(other)));
  EXPECT_FALSE(mayRest(8));
  plan(other, "native");
  EXPECT_TRUE(mayRest(8));
}

TEST_F(RestingKeysTest, provedChoicesThroughSharedMemoryRestWhereThatIsAllowed) {
  const std::int32_t key = add(1, 8);
  plan(key, "node:slots=0");
  EXPECT_FALSE(mayRest(8)) << "not allowed";
  resting_.setMemoryRests(true);
  EXPECT_FALSE(mayRest(8)) << "not proved";
  table_.entry(key).calls_since_plan = 10;
  EXPECT_TRUE(mayRest(8));
  EXPECT_EQ(*resting_.choiceAtRest(keyOf(1, doubles(8))), parseChoice("node:slots=0").value());
  table_.entry(key).slow_calls = 1;
  EXPECT_FALSE(mayRest(8)) << "it may be stopped soon";
  table_.entry(key).slow_calls = 0;
  table_.entry(key).plan.placed = {{1, 1, 5000}};
  EXPECT_FALSE(mayRest(8)) << "a rank is late as a rule";
  const std::int32_t reads = add(1, 1 << 20);
  plan(reads, "node_read");
  table_.entry(reads).calls_since_plan = 10;
  EXPECT_TRUE(mayRest(1 << 20));
}

TEST_F(RestingKeysTest, nothingRestsWhereSitesHaveDifferentChoices) {
  resting_.setMemoryRests(true);
  const std::int32_t in_memory = add(1, 8);
  const std::int32_t other = add(2, 8);
  plan(in_memory, "node");
  table_.entry(in_memory).calls_since_plan = 10;
  EXPECT_TRUE(mayRest(8)) << "the other has no plan yet, and follows the first";
  plan(other, "native", KeyState::kObserving);
  EXPECT_FALSE(mayRest(8));
  plan(other, "node:slots=0");
  table_.entry(other).calls_since_plan = 10;
  EXPECT_FALSE(mayRest(8));
  plan(other, "node");
  table_.entry(other).calls_since_plan = 10;
  EXPECT_TRUE(mayRest(8));
}

TEST_F(RestingKeysTest, ofVeryManyKindsOfCallsSomeDoNotRest) {
  for (std::int16_t type = 0; type < 100; ++type) {
    Signature signature = doubles(8);
    signature.type = type;
    plan(table_.findOrAdd(keyOf(1, signature), signature), "native");
  }
  resting_.refresh(table_);
  Signature signature = doubles(8);
  EXPECT_TRUE(resting_.choiceAtRest(keyOf(1, signature)) != nullptr);
  signature.type = 99;
  EXPECT_FALSE(resting_.choiceAtRest(keyOf(1, signature)) != nullptr);
}

}  // namespace
}  // namespace starling
