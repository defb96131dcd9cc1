#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algos/catalogue.h"

namespace starling {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string errorOf(std::string_view text) {
  const Result<Choice> choice = parseChoice(text);
  return choice.isOk() ? "no error" : choice.status().message();
}

TEST(Choice, roundTripKeepsEveryRowWithDefaultsAndExtremes) {
  for (const Algorithm& algorithm : catalogue()) {
    Choice choice{algorithm.id, defaultParameters(algorithm)};
    EXPECT_EQ(formatChoice(choice), algorithm.name);
    EXPECT_EQ(parseChoice(formatChoice(choice)).value(), choice);
    for (std::size_t i = 0; i < algorithm.parameters.size(); ++i) {
      for (const std::int64_t value : {algorithm.parameters[i].minimum, algorithm.parameters[i].maximum}) {
        choice.parameters[i] = value;
        EXPECT_EQ(parseChoice(formatChoice(choice)).value(), choice) << formatChoice(choice);
      }
    }
  }
}

TEST(Choice, parsesParametersInAnyOrder) {
  const Choice choice = parseChoice("slt:window=8,segments=64").value();
  EXPECT_EQ(choice.algorithm, findAlgorithm("slt")->id);
  EXPECT_EQ(choice.parameters[0], 64);
  EXPECT_EQ(choice.parameters[1], 8);
  EXPECT_EQ(formatChoice(choice), "slt:segments=64,window=8");
}

TEST(Choice, errorsNameTheNearestWord) {
  EXPECT_THAT(errorOf("rign"), AllOf(HasSubstr("known: native, "), testing::EndsWith("; did you mean `ring`?")));
  EXPECT_THAT(errorOf("slt:segment=4"), testing::EndsWith("; did you mean `segments`?"));
  EXPECT_THAT(errorOf("wombat"), testing::EndsWith("."));
  EXPECT_THAT(errorOf("ring,slt"), testing::StartsWith("\"ring,slt\" names several algorithms; name one of native, "));
}

TEST(Choice, textsFromBeforeAParameterWasRenamedAreRead) {
  for (const char* name : {"slt", "late_join", "direct", "static_optimal", "local_redirect"}) {
    const std::string text(name);
    EXPECT_EQ(parseChoice(text + ":announced=1").value(), parseChoice(text + ":flagged=1").value());
    EXPECT_EQ(formatChoice(parseChoice(text + ":announced=1").value()), text + ":flagged=1");
  }
  EXPECT_THAT(errorOf("slt:announced=1,flagged=1"), HasSubstr("twice"));
  EXPECT_THAT(errorOf("ring:announced=1"), HasSubstr("window"));
}

TEST(Choice, unknownAlgorithmListsTheKnownOnes) {
  EXPECT_THAT(errorOf("rign"), AllOf(HasSubstr("\"rign\""), HasSubstr("native"), HasSubstr("reduce_bcast")));
  EXPECT_THAT(errorOf(""), HasSubstr("native"));
}

TEST(Choice, unknownParameterListsTheKnownOnes) {
  EXPECT_THAT(errorOf("slt:segment=4"), AllOf(HasSubstr("\"segment\""), HasSubstr("segments, window")));
  EXPECT_THAT(errorOf("native:window=4"), HasSubstr("has none"));
  EXPECT_THAT(errorOf("slt:"), HasSubstr("segments, window"));
  EXPECT_THAT(errorOf("slt:segments=4,"), HasSubstr("segments, window"));
}

TEST(Choice, valueOutsideItsRangeNamesTheRange) {
  for (const char* text : {"ring:window=0", "ring:window=65", "ring:window=", "ring:window=4x", "ring:window= 4",
                           "ring:window=99999999999999999999", "ring:window"}) {
    EXPECT_THAT(errorOf(text), HasSubstr("a whole number from 1 to 64")) << text;
  }
}

TEST(Choice, parameterGivenTwiceIsAnError) { EXPECT_THAT(errorOf("ring:window=3,window=3"), HasSubstr("twice")); }

TEST(Choice, formatOfAnUnknownIdIsNotParsedAsAnythingElse) {
  EXPECT_THAT(errorOf(formatChoice({.algorithm = 99})), HasSubstr("\"unknown_99\""));
}

}  // namespace
}  // namespace starling
