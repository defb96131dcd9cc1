#include "tuner/forced_choice.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

std::string forced(const char* algorithm, bool reproducible) {
  Options options;
  options.algorithm = algorithm;
  options.reproducible = reproducible;
  const Result<Choice> choice = forcedChoice(options);
  return choice.isOk() ? formatChoice(choice.value()) : "error";
}

TEST(ForcedChoice, isTheNamedOne) {
  EXPECT_EQ(forced("slt:segments=7", false), "slt:segments=7");
  EXPECT_EQ(forced("native", false), "native");
  EXPECT_EQ(forced("rign", false), "error");
}

TEST(ForcedChoice, keepsTheOneAssociationInReproducibleMode) {
  EXPECT_EQ(forced("", true), "recursive_doubling");
  EXPECT_EQ(forced("direct:segments=3", true), "direct:segments=3");
  EXPECT_EQ(forced("rabenseifner", true), "rabenseifner");
  EXPECT_EQ(forced("slt", true), "recursive_doubling");
  EXPECT_EQ(forced("native", true), "recursive_doubling");
  EXPECT_EQ(forced("rign", true), "error");
}

}  // namespace
}  // namespace starling
