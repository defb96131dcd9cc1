#include "tuner/shared_knowledge.h"

#include <gtest/gtest.h>

#include "cost_candidates.h"

namespace starling {
namespace {

constexpr KeyShape kShape{.ranks = 8, .size_class = 12};
constexpr KeyShape kOtherShape{.ranks = 16, .size_class = 12};
const KeyOrigin kOrigin{.type = 1, .operation = 2, .site = "line1"};
const KeyOrigin kElsewhere{.type = 1, .operation = 2, .site = "line2"};

TEST(ShapeKnowledge, keysOfAShapeHearFromEachOtherAndNotFromThemselves) {
  const auto shared = std::make_shared<SharedKnowledge>();
  const ShapeKnowledge one(shared, kShape, kOrigin);
  const ShapeKnowledge another(shared, kShape, kElsewhere);
  const ShapeKnowledge apart(shared, kOtherShape, kOrigin);
  const RowForm ring = formOf(parseChoice("ring").value());
  EXPECT_FALSE(one.areTrialsKnown());
  one.begin(ring, 0.5);
  EXPECT_EQ(another.excessUnderWay(), 0.5);
  EXPECT_EQ(apart.excessUnderWay(), 0.0);
  EXPECT_TRUE(another.isUnderWay(ring));
  EXPECT_FALSE(apart.isUnderWay(ring));
  one.tell(one.key(), {ring, 0.3, 0.1});
  EXPECT_TRUE(one.findings(one.key()).empty());
  EXPECT_TRUE(another.findings(one.key()).empty()) << "they keep one account";
  ASSERT_EQ(another.findings(another.key()).size(), 1U);
  EXPECT_EQ(another.findings(another.key()).front().residual.off, 0.3);
  EXPECT_TRUE(apart.findings(apart.key()).empty());
  one.noteNative();
  another.noteNative();
  EXPECT_EQ(one.nativeSeen(), 2);
  EXPECT_EQ(apart.nativeSeen(), 0);
}

TEST(ShapeKnowledge, aKeyInheritsWhatAnotherOfItsShapeHasLeft) {
  const auto shared = std::make_shared<SharedKnowledge>();
  const ShapeKnowledge one(shared, kShape, kOrigin);
  const ShapeKnowledge near(shared, {.ranks = 8, .size_class = 13}, kOrigin);
  const ShapeKnowledge elsewhere(shared, kShape, kElsewhere);
  EXPECT_FALSE(one.hasHeritage());
  EXPECT_FALSE(one.latestChoice());
  const Choice ring = parseChoice("ring").value();
  KeyArrivals arrivals(kShape.ranks);
  arrivals.observe({.ranks = kShape.ranks, .latest = {{.rank = 3, .lateness = {1e-3}}}, .others = {}}, {});
  one.bequeath({{formOf(ring), 0.2, 0.1}}, {ring, {}}, arrivals);
  EXPECT_TRUE(one.hasHeritage());
  EXPECT_EQ(one.latestChoice()->choice, ring);
  EXPECT_FALSE(near.hasHeritage()) << "of the very shape";
  EXPECT_EQ(near.heritage().distance, 1);
  EXPECT_EQ(near.heritage().residuals.size(), 1U);
  EXPECT_TRUE(ShapeKnowledge(shared, kOtherShape, kOrigin).heritage().residuals.empty());
  EXPECT_EQ(elsewhere.latestChoice()->choice, ring) << "of another site, but of the shape";
  EXPECT_EQ(elsewhere.latestArrivals(), nullptr) << "of the very site";
  EXPECT_EQ(near.latestArrivals(), nullptr);
  ASSERT_NE(one.latestArrivals(), nullptr);
  EXPECT_EQ(one.latestArrivals()->tracked().observations(), 1);
}

TEST(ShapeKnowledge, aKeyThatIsUnlikeOthersOfItsSiteLeavesWhatItCostsAlone) {
  const auto shared = std::make_shared<SharedKnowledge>();
  const Choice ring = parseChoice("ring").value();
  ShapeKnowledge(shared, kShape, {1, 2, ""}).bequeath({{formOf(ring), 0.2, 0.1}}, {ring, {}}, KeyArrivals(8));
  EXPECT_TRUE(ShapeKnowledge(shared, kShape, kOrigin).hasHeritage());
  EXPECT_FALSE(ShapeKnowledge(shared, kShape, kOrigin).latestChoice());
}

TEST(ShapeKnowledge, keysFindTheAccountOfOthersUnlessTheyAreUnlikeTheOthersOfTheirSite) {
  const auto shared = std::make_shared<SharedKnowledge>();
  const CostAccounts::Kind kind{kShape, 512, Bytes{8}};
  const ShapeKnowledge special(shared, kShape, {1, 2, ""});
  const auto account = std::make_shared<CostAccount>();
  account->costs.predict(candidates());
  account->is_left = true;
  special.keepAccount(kind, account);
  EXPECT_EQ(ShapeKnowledge(shared, kShape, kOrigin).findAccount(kind, 7, {}, Seconds{}), nullptr);
  ShapeKnowledge(shared, kShape, kElsewhere).keepAccount(kind, account);
  EXPECT_EQ(ShapeKnowledge(shared, kShape, kOrigin).findAccount(kind, 7, {}, Seconds{}), account);
  EXPECT_EQ(special.findAccount(kind, 7, {}, Seconds{}), nullptr);
}

}  // namespace
}  // namespace starling
