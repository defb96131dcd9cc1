#include "operands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::bench {
namespace {

using testing::HasSubstr;

TEST(Operands, anEmptyTypeIsTheOperationsOwn) {
  EXPECT_EQ(parseOperands("", "sum").value().element, Element::kFloat);
  EXPECT_EQ(parseOperands("", "slow-matrix").value().element, Element::kUint32);
  EXPECT_EQ(parseOperands("uint32", "matrix").value().element, Element::kUint32);
  EXPECT_EQ(parseOperands("int64", "max").value().element, Element::kInt64);
}

TEST(Operands, onlyMatricesDoNotCommute) {
  EXPECT_TRUE(parseOperands("", "slow-sum").value().operation.commutes());
  EXPECT_FALSE(parseOperands("", "matrix").value().operation.commutes());
}

TEST(Operands, unknownWordsAreErrorsThatListTheKnownOnes) {
  EXPECT_THAT(parseOperands("real", "sum").status().message(), HasSubstr("float, double"));
  EXPECT_THAT(parseOperands("", "add").status().message(), HasSubstr("sum, prod"));
  EXPECT_THAT(parseOperands("float", "matrix").status().message(), HasSubstr("leave out --type"));
}

}  // namespace
}  // namespace starling::bench
