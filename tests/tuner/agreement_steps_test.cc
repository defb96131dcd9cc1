#include "tuner/agreement_steps.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace starling {
namespace {

TEST(AgreementSteps, comeOneAfterTheOtherWithinAnEpochOfTwoCallsOrMore) {
  for (std::int32_t length = 2; length < 1000; ++length) {
    const AgreementSteps steps = agreementStepsIn(length);
    EXPECT_GE(steps.decides_after, 1) << length;
    EXPECT_GT(steps.is_known_after, steps.decides_after) << length;
    EXPECT_LE(steps.is_known_after, length);
  }
}

TEST(AgreementSteps, takeNoMoreCallsThanMessagesNeed) {
  EXPECT_EQ(agreementStepsIn(1'000'000).is_known_after, 2 * AgreementSteps::kMostCalls);
  EXPECT_EQ(agreementStepsIn(1).is_known_after, 2) << "an epoch is longer then";
}

}  // namespace
}  // namespace starling
