#include "base/system_files.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

using Numbers = std::vector<std::int32_t>;

TEST(NumbersIn, areThoseOfAList) {
  EXPECT_EQ(numbersIn(""), Numbers{});
  EXPECT_EQ(numbersIn("5"), Numbers{5});
  EXPECT_EQ(numbersIn("0-3,64,70-71"), (Numbers{0, 1, 2, 3, 64, 70, 71}));
}

TEST(NumbersIn, areNoneWhereItIsNoList) {
  for (const char* list : {"x", "0-", "7-0", "0-x", "0 1", "-3", "0-99999999", ",1"}) {
    EXPECT_EQ(numbersIn(list), Numbers{}) << list;
  }
}

TEST(FirstLineOf, isEmptyWhereThereIsNoFile) { EXPECT_EQ(firstLineOf("/nowhere/at/all"), ""); }

}  // namespace
}  // namespace starling
