#include "tuner/epoch_messages.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace starling {
namespace {

// Counts the calls that are summarised where the first `trials` try something.
std::int32_t sampledOf(const SampledEpoch& epoch, std::int32_t trials) {
  std::int32_t sampled = 0;
  for (std::int32_t call = 0; call < epoch.calls; ++call) {
    if (isSampled(epoch, call, sampled, call < trials)) ++sampled;
  }
  return sampled;
}

TEST(EpochMessages, summariseAllCallsOfAShortEpoch) { EXPECT_EQ(sampledOf({0, 32, 32}, 0), 32); }

TEST(EpochMessages, summariseOneCallOfEachStretchOfALongEpoch) {
  for (std::int64_t number = 0; number < 20; ++number) {
    const SampledEpoch epoch{number, 256, 32};
    EXPECT_EQ(sampledOf(epoch, 0), 32);
    for (std::int32_t stretch = 0; stretch < 32; ++stretch) {
      int sampled = 0;
      for (std::int32_t call = 8 * stretch; call < 8 * stretch + 8; ++call) sampled += isSampled(epoch, call, 0, false);
      EXPECT_EQ(sampled, 1);
    }
  }
}

TEST(EpochMessages, summariseAllTrialsOfALongEpochThatHalfOfTheRoomIsEnoughFor) {
  const SampledEpoch epoch{3, 256, 32};
  for (std::int32_t call = 0; call < 16; ++call) EXPECT_TRUE(isSampled(epoch, call, call, true));
  int others = 0;
  for (std::int32_t call = 16; call < 256; ++call) others += isSampled(epoch, call, 16, true);
  EXPECT_EQ(others, 30) << "one of each stretch that is left";
  EXPECT_FALSE(isSampled(epoch, 0, 32, true));
  EXPECT_TRUE(isSampled({3, 256, 1}, 0, 0, true)) << "of many ranks little is told";
}

}  // namespace
}  // namespace starling
