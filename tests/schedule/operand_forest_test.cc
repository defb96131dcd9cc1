#include "schedule/operand_forest.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(OperandForest, sameCombinationHasSameIdAndOtherAssociationAnother) {
  OperandForest forest(3);
  const TreeId left_first = forest.combine(forest.combine(0, 1), 2);
  EXPECT_EQ(left_first, forest.combine(forest.combine(0, 1), 2));
  EXPECT_NE(left_first, forest.combine(0, forest.combine(1, 2)));
  EXPECT_NE(forest.combine(0, 1), forest.combine(1, 0));
}

TEST(OperandForest, findsSharedAndMissingInputsBeyondOneWord) {
  OperandForest forest(130);
  TreeId tree = 0;
  for (TreeId rank = 1; rank < 130; ++rank) {
    if (rank != 100) tree = forest.combine(tree, rank);
  }
  EXPECT_EQ(forest.missingInput(tree), 100);
  EXPECT_EQ(forest.sharedInput(tree, 129), 129);
  EXPECT_EQ(forest.sharedInput(tree, 100), std::nullopt);
  EXPECT_EQ(forest.missingInput(forest.combine(tree, 100)), std::nullopt);
}

TEST(OperandForest, isInRankOrderOnlyWhenLeavesAscend) {
  OperandForest forest(4);
  EXPECT_TRUE(forest.isInRankOrder(forest.combine(forest.combine(0, 1), forest.combine(2, 3))));
  EXPECT_TRUE(forest.isInRankOrder(forest.combine(0, forest.combine(1, forest.combine(2, 3)))));
  EXPECT_FALSE(forest.isInRankOrder(forest.combine(forest.combine(1, 0), forest.combine(2, 3))));
  EXPECT_FALSE(forest.isInRankOrder(forest.combine(forest.combine(0, 2), forest.combine(1, 3))));
}

}  // namespace
}  // namespace starling
