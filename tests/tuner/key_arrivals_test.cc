#include "tuner/key_arrivals.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

constexpr std::int32_t kRanks = 4;

ArrivalPattern late(std::int32_t rank) {
  return {.ranks = kRanks, .latest = {{.rank = rank, .lateness = {1e-3}}}, .others = {}};
}

TEST(KeyArrivals, inheritWhatIsMadeOfThemAndNothingThatIsRecorded) {
  for (const bool is_random : {false, true}) {
    KeyArrivals other(kRanks);
    for (std::int32_t call = 0; call < 20; ++call) other.observe(late(is_random ? call * call % kRanks : 1), {});
    KeyArrivals key(kRanks);
    EXPECT_EQ(key.outlook(), KeyArrivals::Outlook::kUnknown);
    key.inherit(other);
    using enum KeyArrivals::Outlook;
    EXPECT_EQ(key.outlook(), is_random ? kUnpredictable : kPredictable);
    EXPECT_EQ(key.usual().latest, other.usual().latest);
    EXPECT_GT(key.usual().latest, Seconds{});
    EXPECT_EQ(key.tracked().entries().front().seen.count(), 0);
    key.observe(late(1), {});
    EXPECT_EQ(other.tracked().observations(), 20) << "they go on apart";
  }
}

TEST(KeyArrivals, takeLatenessesBelowTheNoiseForNone) {
  for (const Seconds noise : {kNoiseBetweenNodes, kNoiseWithinNode}) {
    KeyArrivals key(kRanks, noise);
    ArrivalPattern pattern = late(2);
    pattern.latest.front().lateness = {18e-6};
    for (int call = 0; call < 20; ++call) key.observe(pattern, {});
    using enum KeyArrivals::Outlook;
    EXPECT_EQ(key.outlook(), noise == kNoiseWithinNode ? kOnTime : kPredictable);
  }
}

}  // namespace
}  // namespace starling
