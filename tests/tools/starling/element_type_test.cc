#include "element_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::cli {
namespace {

TEST(ElementType, hasItsBytes) {
  EXPECT_EQ(parseElementType("uint8").value(), Bytes{1});
  EXPECT_EQ(parseElementType("float").value(), Bytes{4});
  EXPECT_EQ(parseElementType("double").value(), Bytes{8});
}

TEST(ElementType, othersAreErrorsThatListTheKnownOnes) {
  EXPECT_THAT(parseElementType("quark").status().message(),
              testing::AllOf(testing::HasSubstr("'quark'"), testing::HasSubstr("int16")));
}

}  // namespace
}  // namespace starling::cli
