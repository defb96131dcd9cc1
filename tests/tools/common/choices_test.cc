#include "choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::cli {
namespace {

using testing::ElementsAre;

TEST(SplitChoices, keepsParametersWithTheirAlgorithm) {
  EXPECT_THAT(splitChoices("ring,slt:segments=64,window=8,prr"),
              ElementsAre("ring", "slt:segments=64,window=8", "prr"));
  EXPECT_THAT(splitChoices("ring"), ElementsAre("ring"));
  EXPECT_THAT(splitChoices("ring,"), ElementsAre("ring", ""));
}

TEST(SplitChoices, takesListsOneAfterTheOther) {
  const std::vector<std::string> lists{"ring,slt:segments=64", "prr"};
  EXPECT_THAT(splitChoices(lists), ElementsAre("ring", "slt:segments=64", "prr"));
}

}  // namespace
}  // namespace starling::cli
