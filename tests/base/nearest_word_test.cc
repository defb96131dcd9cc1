#include "base/nearest_word.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

const std::vector<std::string> kWords = {"run", "sites", "show", "simulate", "decisions"};

TEST(EditDistance, countsWhatHasToChange) {
  EXPECT_EQ(editDistance("sites", "sites"), 0U);
  EXPECT_EQ(editDistance("sites", "SITES"), 0U);
  EXPECT_EQ(editDistance("sits", "sites"), 1U);
  EXPECT_EQ(editDistance("sitess", "sites"), 1U);
  EXPECT_EQ(editDistance("sitas", "sites"), 1U);
  EXPECT_EQ(editDistance("siets", "sites"), 1U);
  EXPECT_EQ(editDistance("", "sites"), 5U);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3U);
}

TEST(NearestWord, isTheOneWithTheLeastDistance) {
  EXPECT_EQ(nearestWord("sits", kWords), "sites");
  EXPECT_EQ(nearestWord("decsions", kWords), "decisions");
  EXPECT_EQ(nearestWord("shwo", kWords), "show");
  EXPECT_EQ(nearestWord("rum", kWords), "run");
}

TEST(NearestWord, isNoneWhereAllAreFar) {
  EXPECT_EQ(nearestWord("bogus", kWords), std::nullopt);
  EXPECT_EQ(nearestWord("", kWords), std::nullopt);
  EXPECT_EQ(nearestWord("sites", {}), std::nullopt);
  EXPECT_EQ(nearestWord("x", {"y"}), std::nullopt);
  EXPECT_EQ(nearestWord(std::string(65, 's'), {std::string(64, 's')}), std::nullopt);
}

TEST(NearestWord, aBeginningIsNear) {
  EXPECT_EQ(nearestWord("--keep", {"--help", "--keep-runs"}), "--keep-runs");
  EXPECT_EQ(nearestWord("ex", {"export"}), std::nullopt) << "two letters are no beginning";
}

TEST(NearestWord, isAskedForInWords) {
  EXPECT_EQ(didYouMean("sits", kWords), "; did you mean `sites`?");
  EXPECT_EQ(didYouMean("bogus", kWords), "");
  EXPECT_EQ(didYouMean("rin", std::vector<int>{1, 2}, [](int row) { return row == 1 ? "ring" : "slt"; }),
            "; did you mean `ring`?");
}

}  // namespace
}  // namespace starling
