#include "store/write_pace.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

using std::chrono::milliseconds;

TEST(WritePace, theFirstWriteIsDueAtOnce) { EXPECT_LE(WritePace(Seconds{2.0}).next(), WritePace::Clock::now()); }

TEST(WritePace, writesTakeAFiveThousandthOfACore) {
  WritePace pace(Seconds{2.0});
  const WritePace::Clock::time_point now{std::chrono::hours{1}};
  pace.noteWrite(now, Seconds{1e-3});
  EXPECT_GE(pace.next(), now + milliseconds(4999));
  EXPECT_LE(pace.next(), now + milliseconds(5001));
  pace.noteWrite(now, Seconds{});
  EXPECT_EQ(pace.next(), now);
}

TEST(WritePace, nobodyWaitsLongerThanFiveIntervals) {
  WritePace pace(Seconds{2.0});
  const WritePace::Clock::time_point now{std::chrono::hours{1}};
  pace.noteWrite(now, Seconds{60.0});
  EXPECT_EQ(pace.next(), now + milliseconds(10'000));
}

}  // namespace
}  // namespace starling
