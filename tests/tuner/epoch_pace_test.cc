#include "tuner/epoch_pace.h"

#include <gtest/gtest.h>

#include <vector>

namespace starling {
namespace {

std::vector<Seconds> eight(double seconds) { return std::vector<Seconds>(8, Seconds{seconds}); }

TEST(EpochPace, agreeingTakesItsShareOfTheCallsInBetween) {
  EpochPace pace;
  pace.noteEnd({6e-6});
  pace.noteCalls(std::vector<Seconds>{{1.5e-6}}, eight(0.5e-6));  // 2 calls are disturbed by 1 us each
  EXPECT_NEAR(pace.cost().value, 8e-6, 1e-12);
  EXPECT_NEAR(pace.calls(8, 1 << 20), 8e-6 / (EpochPace::kShare * 0.5e-6), 1.0);
}

TEST(EpochPace, epochsStayWithinTheirBounds) {
  EpochPace pace;
  EXPECT_EQ(pace.calls(8, 64), 8) << "nothing is known";
  pace.noteEnd({1.0});
  pace.noteCalls(eight(1e-6), eight(1e-6));
  EXPECT_EQ(pace.calls(8, 64), 64);
  EXPECT_EQ(pace.calls(8, 4), 8) << "as the tuner says";
}

TEST(EpochPace, longCallsAreFollowedByAnAgreementSoon) {
  EpochPace pace;
  pace.noteEnd({10e-6});
  pace.noteCalls(eight(10e-3), eight(10e-3));
  EXPECT_EQ(pace.calls(8, 4096), 8);
}

TEST(EpochPace, oneInterruptionChangesLittle) {
  EpochPace pace;
  pace.noteEnd({10e-6});
  std::vector<Seconds> took = eight(1e-6);
  for (int epoch = 0; epoch < 20; ++epoch) pace.noteCalls({}, took);
  EXPECT_NEAR(pace.calls(8, 4096), 2000, 50);
  took.back() = {4e-3};
  pace.noteCalls({}, took);
  EXPECT_GT(pace.calls(8, 4096), 500);
}

TEST(EpochPace, whereThereIsMuchToLearnAgreeingMayTakeMore) {
  EpochPace pace;
  pace.noteEnd({10e-6});
  pace.noteCalls({}, eight(5e-6));
  EXPECT_EQ(pace.calls(2, 4096, EpochPace::kLearningShare), 20);
  EXPECT_EQ(pace.calls(2, 4096), 400);
}

TEST(EpochPace, noCallsTellNothing) {
  EpochPace pace;
  pace.noteEnd({1e-6});
  pace.noteCalls({}, {});
  EXPECT_EQ(pace.calls(8, 4096), 8);
}

TEST(EpochPace, whereAllCallsAreDisturbedTheyTellHowLongCallsTake) {
  EpochPace pace;
  pace.noteEnd({6e-6});
  pace.noteCalls(eight(20e-6), {});
  EXPECT_NEAR(pace.calls(8, 4096), 60, 1) << "so that the next epochs have others";
}

}  // namespace
}  // namespace starling
