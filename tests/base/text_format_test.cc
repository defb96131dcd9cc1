#include "base/text_format.h"

#include <gtest/gtest.h>

#include <limits>

namespace starling {
namespace {

TEST(TextFormat, durationsHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(formatDuration(Seconds{0.0}), "0 s");
  EXPECT_EQ(formatDuration(Seconds{25e-9}), "25.0 ns");
  EXPECT_EQ(formatDuration(Seconds{1.2345e-3}), "1.23 ms");
  EXPECT_EQ(formatDuration(Seconds{0.0501}), "50.1 ms");
  EXPECT_EQ(formatDuration(Seconds{123.4}), "123 s");
  EXPECT_EQ(formatDuration(Seconds{-2e-6}), "-2.00 us");
}

TEST(TextFormat, durationsChangeUnitWhenRoundingReachesIt) {
  EXPECT_EQ(formatDuration(Seconds{999.4e-6}), "999 us");
  EXPECT_EQ(formatDuration(Seconds{999.6e-6}), "1.00 ms");
}

TEST(TextFormat, unknownFiguresAreDashes) {
  EXPECT_EQ(formatDuration(std::optional<double>()), "-");
  EXPECT_EQ(formatDuration(Seconds{std::numeric_limits<double>::quiet_NaN()}), "-");
  EXPECT_EQ(formatRatio(std::nullopt), "-");
  EXPECT_EQ(formatRatio(2.614), "2.61x");
  EXPECT_EQ(formatGain(std::nullopt, 0.1), "-");
  EXPECT_EQ(formatGain(2.614, std::nullopt), "2.6x +- ?");
  EXPECT_EQ(formatGain(2.614, 0.028), "2.61x +- 0.03");
  EXPECT_EQ(formatGain(2.614, 0.128), "2.6x +- 0.1");
  EXPECT_EQ(formatGain(10.18, 4.84), "10x +- 5");
}

TEST(TextFormat, bytesAreExactWhereTheyCanBe) {
  EXPECT_EQ(formatBytes(Bytes{0}), "0 B");
  EXPECT_EQ(formatBytes(Bytes{1023}), "1023 B");
  EXPECT_EQ(formatBytes(Bytes{1536}), "1.50 KiB");
  EXPECT_EQ(formatBytes(Bytes{4 << 20}), "4 MiB");
}

TEST(TextFormat, rankTablesAreListedUnlessIdentity) {
  EXPECT_EQ(formatRankTable({}), "identity");
  EXPECT_EQ(formatRankTable({0, 1, 3, 2}), "0 1 3 2");
  EXPECT_EQ(formatCount(1, "call"), "1 call");
  EXPECT_EQ(formatCount(2, "call"), "2 calls");
  EXPECT_EQ(formatCount(1, "policy"), "1 policy");
  EXPECT_EQ(formatCount(0, "policy"), "0 policies");
}

}  // namespace
}  // namespace starling
