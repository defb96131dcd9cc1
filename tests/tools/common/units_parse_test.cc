#include "units_parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::cli {
namespace {

using testing::HasSubstr;

TEST(UnitsParse, countsTakeMultipliers) {
  EXPECT_EQ(parseCount("1000").value(), 1000);
  EXPECT_EQ(parseCount("64Ki").value(), 65536);
  EXPECT_EQ(parseCount("1Mi").value(), 1048576);
  EXPECT_EQ(parseCount("2M").value(), 2000000);
  EXPECT_EQ(parseCount("3K").value(), 3000);
}

TEST(UnitsParse, countsThatAreNoneSayWhy) {
  EXPECT_THAT(parseCount("").status().message(), HasSubstr("not a count"));
  EXPECT_THAT(parseCount("-1").status().message(), HasSubstr("not a count"));
  EXPECT_THAT(parseCount("5kb").status().message(), HasSubstr("unknown multiplier 'kb'"));
  EXPECT_THAT(parseCount("9223372036854775807K").status().message(), HasSubstr("too large"));
}

TEST(UnitsParse, durationsTakeUnits) {
  EXPECT_DOUBLE_EQ(parseDuration("25us").value().value, 25e-6);
  EXPECT_DOUBLE_EQ(parseDuration("8ns").value().value, 8e-9);
  EXPECT_DOUBLE_EQ(parseDuration("1.5ms").value().value, 1.5e-3);
  EXPECT_DOUBLE_EQ(parseDuration("2s").value().value, 2.0);
  EXPECT_DOUBLE_EQ(parseDuration("0").value().value, 0.0);
}

TEST(UnitsParse, durationsThatAreNoneSayWhy) {
  EXPECT_THAT(parseDuration("25").status().message(), HasSubstr("has no unit"));
  EXPECT_THAT(parseDuration("5min").status().message(), HasSubstr("unknown unit 'min'"));
  EXPECT_DOUBLE_EQ(parseDuration("7200s").value().value, 7200.0);
  EXPECT_THAT(parseDuration("7201s").status().message(), HasSubstr("too long a duration"));
  EXPECT_THAT(parseDuration("1e300ms").status().message(), HasSubstr("too long a duration"));
  EXPECT_THAT(parseDuration("-1ms").status().message(), HasSubstr("not a duration"));
  EXPECT_THAT(parseDuration("nan").status().message(), HasSubstr("not a duration"));
  EXPECT_THAT(parseDuration("late").status().message(), HasSubstr("not a duration"));
}

TEST(ParseAge, readsUnitsOfCalendars) {
  EXPECT_EQ(parseAge("90m").value(), 5400);
  EXPECT_EQ(parseAge("12h").value(), 43'200);
  EXPECT_EQ(parseAge("30d").value(), 2'592'000);
  EXPECT_EQ(parseAge("2w").value(), 1'209'600);
  EXPECT_EQ(parseAge("0d").value(), 0);
}

TEST(ParseAge, saysWhatToWriteWhenItIsNoAge) {
  for (const char* text : {"", "d", "30", "-3d", "1.5d", "3y", "30 d", "9223372036854775807w", "2000000w"}) {
    EXPECT_THAT(parseAge(text).status().message(), testing::HasSubstr("age")) << text;
  }
}

}  // namespace
}  // namespace starling::cli
