#include "base/value_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ValueWords, areThoseBetweenBars) {
  EXPECT_THAT(valueWords("off | observe | tune"), ElementsAre("off", "observe", "tune"));
  EXPECT_THAT(valueWords("0|1"), ElementsAre("0", "1"));
}

TEST(ValueWords, areNoneOfOtherTexts) {
  EXPECT_THAT(valueWords("a path"), IsEmpty());
  EXPECT_THAT(valueWords(""), IsEmpty());
}

}  // namespace
}  // namespace starling
