#include "tuner/learned_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace starling {
namespace {

PolicyRecord policyOf(const std::string& choice) {
  PolicyRecord policy;
  policy.communicator_size = 4;
  policy.choice = choice;
  return policy;
}

TEST(LearnedChoice, isNoneWhereItCannotBeRead) {
  const Result<LearnedChoice> learned = LearnedChoice::of(policyOf("ring_of_a_later_version"));
  ASSERT_FALSE(learned.isOk());
  EXPECT_THAT(learned.status().message(), testing::HasSubstr("ring_of_a_later_version"));
}

TEST(LearnedChoice, hasTheChoiceWithItsParametersAndTable) {
  PolicyRecord policy = policyOf("slt:segments=8");
  EXPECT_FALSE(LearnedChoice::of(policy).value().arrangesRanks());
  policy.table = {0, 2, 3, 1};
  policy.lateness_ns = {0, 0, 0, 5000};
  const LearnedChoice learned = LearnedChoice::of(policy).value();
  EXPECT_EQ(learned.choice(), parseChoice("slt:segments=8").value());
  EXPECT_TRUE(learned.arrangesRanks());
  EXPECT_EQ(expanded(learned.placed(), 4).table, policy.table);
  EXPECT_EQ(expanded(learned.placed(), 4).lateness_ns, policy.lateness_ns);
}

TEST(LearnedChoice, isTakenToBeFasterWithinBoundsWhateverThePolicySays) {
  const auto assumed = [](std::optional<double> gain) {
    PolicyRecord policy = policyOf("ring");
    policy.gain = gain;
    return LearnedChoice::of(policy).value().assumedGain();
  };
  const double unknown = assumed(std::nullopt);
  EXPECT_GT(unknown, 1.0);
  EXPECT_EQ(assumed(2.0), 2.0);
  EXPECT_EQ(assumed(0.5), unknown) << "it was chosen";
  EXPECT_EQ(assumed(-1.0), unknown);
  EXPECT_EQ(assumed(std::numeric_limits<double>::quiet_NaN()), unknown);
  EXPECT_EQ(assumed(std::numeric_limits<double>::infinity()), unknown);
  EXPECT_LT(assumed(1e9), 10.0);
}

TEST(LearnedChoice, quotesWhyItWasMade) {
  PolicyRecord policy = policyOf("ring");
  EXPECT_EQ(LearnedChoice::of(policy).value().describe(), "The tuning database has a choice of an earlier run. ");
  policy.reason = "ring stays.";
  EXPECT_EQ(LearnedChoice::of(policy).value().describe(),
            "The tuning database says of an earlier run: \"ring stays.\" ");
}

}  // namespace
}  // namespace starling
