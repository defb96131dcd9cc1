#include "tuner/shared_knowledge.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

constexpr FirstTrials::Shape kShape{.ranks = 8, .size_class = 12};
constexpr FirstTrials::Shape kOtherShape{.ranks = 16, .size_class = 12};

TEST(ShapeKnowledge, keysOfAShapeHearFromEachOtherAndNotFromThemselves) {
  const auto shared = std::make_shared<SharedKnowledge>();
  const ShapeKnowledge one(shared, kShape);
  const ShapeKnowledge another(shared, kShape);
  const ShapeKnowledge apart(shared, kOtherShape);
  const std::int32_t ring = parseChoice("ring").value().algorithm;
  EXPECT_FALSE(one.areTrialsKnown());
  one.begin(ring, 0.5);
  EXPECT_EQ(another.excessUnderWay(), 0.5);
  EXPECT_EQ(apart.excessUnderWay(), 0.0);
  EXPECT_TRUE(another.isUnderWay(ring));
  EXPECT_FALSE(apart.isUnderWay(ring));
  one.tell({ring, 0.3, 0.1});
  EXPECT_TRUE(one.findings().empty());
  ASSERT_EQ(another.findings().size(), 1U);
  EXPECT_EQ(another.findings().front().residual.off, 0.3);
  EXPECT_TRUE(apart.findings().empty());
  one.noteNative();
  another.noteNative();
  EXPECT_EQ(one.nativeSeen(), 2);
  EXPECT_EQ(apart.nativeSeen(), 0);
}

TEST(ShapeKnowledge, aKeyInheritsWhatAnotherOfItsShapeHasLeft) {
  const auto shared = std::make_shared<SharedKnowledge>();
  const ShapeKnowledge one(shared, kShape);
  const ShapeKnowledge near(shared, {.ranks = 8, .size_class = 13});
  EXPECT_FALSE(one.hasHeritage());
  EXPECT_FALSE(one.latestChoice());
  const Choice ring = parseChoice("ring").value();
  one.bequeath({{ring.algorithm, 0.2, 0.1}}, {ring, {}});
  EXPECT_TRUE(one.hasHeritage());
  EXPECT_EQ(one.latestChoice()->choice, ring);
  EXPECT_FALSE(near.hasHeritage()) << "of the very shape";
  EXPECT_EQ(near.heritage().distance, 1);
  EXPECT_EQ(near.heritage().residuals.size(), 1U);
  EXPECT_TRUE(ShapeKnowledge(shared, kOtherShape).heritage().residuals.empty());
}

}  // namespace
}  // namespace starling
