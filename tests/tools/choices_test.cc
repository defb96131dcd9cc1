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

TEST(NamesStepTime, findsTheParameterOnly) {
  EXPECT_TRUE(namesStepTime("prr:tau_ns=0"));
  EXPECT_TRUE(namesStepTime("prr:window=2,tau_ns=5"));
  EXPECT_FALSE(namesStepTime("prr:window=2"));
}

}  // namespace
}  // namespace starling::cli
