#include "base/units.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

namespace starling {
namespace {

static_assert(!std::is_convertible_v<double, Seconds>, "a bare number must not pass for a duration");
static_assert(!std::is_convertible_v<Seconds, double>, "a duration must not pass for a bare number");
static_assert(!std::is_convertible_v<std::int64_t, Bytes>, "a bare number must not pass for a size");
static_assert(!std::is_constructible_v<Bytes, Seconds>, "a duration must not pass for a size");

TEST(Seconds, addsSubtractsScalesAndDivides) {
  const Seconds a{1.5};
  const Seconds b{0.5};
  EXPECT_EQ(a + b, Seconds{2.0});
  EXPECT_EQ(a - b, Seconds{1.0});
  EXPECT_EQ(b - a, Seconds{-1.0});
  EXPECT_EQ(4.0 * b, Seconds{2.0});
  EXPECT_EQ(a / b, 3.0);
  Seconds sum{1.0};
  sum += b;
  EXPECT_EQ(sum, Seconds{1.5});
}

TEST(Seconds, areOrderedByLength) {
  EXPECT_LT(Seconds{-1.0}, Seconds{0.0});
  EXPECT_LT(Seconds{1.0}, Seconds{1.5});
  EXPECT_GE(Seconds{1.5}, Seconds{1.5});
}

TEST(Bytes, areOrderedBySize) {
  EXPECT_EQ(Bytes{}, Bytes{0});
  EXPECT_LT(Bytes{4}, Bytes{8});
  // A double would take these two for equal.
  EXPECT_NE(Bytes{(std::int64_t{1} << 53) + 1}, Bytes{std::int64_t{1} << 53});
}

TEST(Nanoseconds, countABillionPerSecond) {
  EXPECT_EQ(toNanoseconds(Seconds{2.0}), 2'000'000'000);
  EXPECT_EQ(toNanoseconds(Seconds{-0.5}), -500'000'000);
  EXPECT_EQ(fromNanoseconds(250'000'000), Seconds{0.25});
}

TEST(Nanoseconds, surviveTheWayThroughSecondsWhenWithinAnHour) {
  constexpr std::int64_t kHour = 3'600'000'000'000;
  for (std::int64_t nanoseconds = 1; nanoseconds <= kHour; nanoseconds = nanoseconds * 3 + 1) {
    EXPECT_EQ(toNanoseconds(fromNanoseconds(nanoseconds)), nanoseconds);
    EXPECT_EQ(toNanoseconds(fromNanoseconds(-nanoseconds)), -nanoseconds);
  }
}

}  // namespace
}  // namespace starling
