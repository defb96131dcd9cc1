#include "tuner/measured_choices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace starling {
namespace {

Choice withSegments(std::size_t segments) { return parseChoice("slt:segments=" + std::to_string(segments)).value(); }

CallTimes taking(double seconds) {
  CallTimes times;
  times.elapsed = times.compared = times.net = {seconds};
  return times;
}

TEST(MeasuredChoices, knowNativeAfterThreeCalls) {
  MeasuredChoices choices;
  EXPECT_FALSE(choices.medianOf(Choice{}));
  for (int call = 0; call < 3; ++call) {
    EXPECT_FALSE(choices.isNativeKnown());
    choices.observe(Choice{}, taking(1.0 + call), true);
  }
  EXPECT_TRUE(choices.isNativeKnown());
  EXPECT_EQ(choices.medianOf(Choice{}), 2.0);
  EXPECT_EQ(choices.native().samples, 3);
}

TEST(MeasuredChoices, leaveOutOfNativesUsualTimeWhatAgreementsDisturbed) {
  MeasuredChoices choices;
  EXPECT_FALSE(choices.usualNative());
  CallTimes disturbed = taking(9.0);
  disturbed.disturbance = {0.5};
  choices.observe(Choice{}, disturbed, true);
  EXPECT_EQ(choices.usualNative(), Seconds{9.0}) << "there is no other";
  choices.observe(Choice{}, taking(1.0), true);
  choices.observe(Choice{}, disturbed, true);
  choices.observe(Choice{}, taking(2.0), true);
  EXPECT_EQ(choices.usualNative(), Seconds{1.5});
}

// Where clocks differ the error is another one in each call.
TEST(MeasuredChoices, knowNativesUsualTimeFromAllCallsThatMayBeOffByAboutAsMuch) {
  MeasuredChoices choices;
  const auto observe = [&](double time, double error) {
    CallTimes times = taking(time);
    times.compared_error = {error};
    choices.observe(Choice{}, times, true);
  };
  observe(5e-3, 3.000e-6);
  for (int call = 0; call < 10; ++call) observe(100e-6, 3.017e-6 + 1e-9 * call);
  for (int call = 0; call < 20; ++call) observe(400e-6, 60e-6);
  EXPECT_EQ(choices.usualNative(), Seconds{100e-6}) << "neither one that was held up, nor those that may be far off";
}

TEST(MeasuredChoices, doNotCompareShortCallsThatAgreementsDisturbed) {
  const Choice choice = withSegments(2);
  CallTimes disturbed = taking(12e-6);
  disturbed.disturbance = {10e-6};
  MeasuredChoices choices;
  choices.observe(choice, disturbed, true);
  EXPECT_FALSE(choices.medianOf(choice));
  for (int call = 0; call < 3; ++call) {
    choices.observe(choice, taking(2e-6), true);
    choices.observe(choice, disturbed, true);
  }
  EXPECT_EQ(choices.medianOf(choice), 2e-6);
  EXPECT_EQ(choices.errorOf(choice), 0.0);
  choices.forgetFormerCost(choice);
  EXPECT_FALSE(choices.medianOf(choice)) << "none of them was the latest call";

  CallTimes longer = taking(9e-3);
  longer.disturbance = {10e-6};
  const Choice another = withSegments(4);
  choices.observe(another, longer, true);
  choices.observe(another, taking(7e-3), true);
  EXPECT_EQ(choices.medianOf(another), 8e-3) << "long calls are hardly disturbed";
}

TEST(MeasuredChoices, knowTheErrorOfAMedianFromThreeCallsOn) {
  MeasuredChoices choices;
  EXPECT_FALSE(choices.errorOf(Choice{}));
  for (const double seconds : {1.0, 2.0}) choices.observe(Choice{}, taking(seconds), true);
  EXPECT_FALSE(choices.errorOf(Choice{}));
  choices.observe(Choice{}, taking(100.0), true);
  EXPECT_NEAR(choices.errorOf(Choice{}).value(), 1.2533 * 1.4826 * 1.0 / std::sqrt(3.0), 1e-9) << "despite the outlier";
}

TEST(MeasuredChoices, forgetWhatAChoiceTookBeforeItChanged) {
  MeasuredChoices choices;
  for (const double seconds : {1.0, 1.0, 1.0, 8.0}) choices.observe(Choice{}, taking(seconds), true);
  for (const double seconds : {2.0, 2.0}) choices.observe(withSegments(4), taking(seconds), true);
  choices.forgetFormerCost(Choice{});
  EXPECT_EQ(choices.medianOf(Choice{}), 8.0);
  EXPECT_EQ(choices.medianOf(withSegments(4)), 2.0);
  EXPECT_FALSE(choices.errorOf(Choice{})) << "one call does not scatter";
}

TEST(MeasuredChoices, forgetAnArrangementButNotWhatNativeTookNorNetTimes) {
  MeasuredChoices choices;
  choices.observe(Choice{}, taking(1.0), true);
  choices.observe(withSegments(4), taking(3.0), true);
  EXPECT_EQ(choices.medianOf(withSegments(4)), 3.0);
  choices.forgetArrangement();
  EXPECT_FALSE(choices.medianOf(withSegments(4)));
  EXPECT_EQ(choices.medianOf(Choice{}), 1.0);
  EXPECT_EQ(choices.find(withSegments(4))->net.size(), 1U);
  choices.observe(withSegments(4), taking(5.0), false);
  EXPECT_FALSE(choices.medianOf(withSegments(4))) << "a call of the former arrangement";
}

TEST(MeasuredChoices, keepTheLatestTimesOfChoicesThatAreUsed) {
  MeasuredChoices choices;
  choices.observe(Choice{}, taking(1.0), true);
  choices.observe(withSegments(1), taking(1.0), true);
  for (std::size_t i = 2; i < 1000; ++i) {
    choices.observe(withSegments(i), taking(1.0), true);
    choices.observe(withSegments(1), taking(static_cast<double>(i)), true);
  }
  EXPECT_EQ(choices.native().samples, 1) << "it is never forgotten";
  ASSERT_NE(choices.find(withSegments(1)), nullptr);
  EXPECT_EQ(choices.find(withSegments(1))->net.size(), MeasuredChoices::kKeptSamples);
  EXPECT_EQ(choices.find(withSegments(1))->net.back().time.value, 999.0);
  std::size_t known = 0;
  for (std::size_t i = 1; i < 1000; ++i) known += choices.find(withSegments(i)) != nullptr ? 1 : 0;
  EXPECT_EQ(known + 1, MeasuredChoices::kMaxChoices);
}

}  // namespace
}  // namespace starling
