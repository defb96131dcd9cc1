#include "store/row_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace starling {
namespace {

TEST(RowCosts, comeBackWhenParsed) {
  const std::vector<RowCost> costs{{"native", 1.0, 0.05}, {"slt:flagged=1", 0.8721, 0.1}, {"ring", 1e-5, 1234.0}};
  const std::string text = formatRowCosts(costs);
  EXPECT_EQ(text, "native 1 0.05; slt:flagged=1 0.8721 0.1; ring 1e-05 1234");
  const auto parsed = parseRowCosts(text);
  ASSERT_TRUE(parsed.isOk()) << parsed.status().message();
  EXPECT_EQ(parsed.value(), costs);
}

TEST(RowCosts, thatCouldNotBeReadAreNotWritten) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(formatRowCosts(std::vector<RowCost>{{"a", HUGE_VAL, 0.1},
                                                {"b", 1.0, 0.0},
                                                {"c", none, 0.1},
                                                {"d", 1.0, none},
                                                {"e", 2e6, 0.1},
                                                {"f", 1.0, 1e-9}}),
            "f 1 1e-09");
}

TEST(RowCosts, areNoneInAnEmptyText) {
  EXPECT_EQ(formatRowCosts({}), "");
  EXPECT_TRUE(parseRowCosts("").value().empty());
}

TEST(RowCosts, errorTellsWhatIsNoCost) {
  for (const char* wrong : {"ring", "ring 1", "ring 1 0.1 2", "ring x 0.1", "ring 1 -0.1", "ring 0 0.1", "ring nan 0.1",
                            "ring 1 inf", "ring 1e7 0.1", " 1 0.1", "ring  1 0.1", "ring 1 0.1;"}) {
    const auto parsed = parseRowCosts("native 1 0.05; " + std::string(wrong));
    ASSERT_FALSE(parsed.isOk()) << wrong;
    EXPECT_THAT(parsed.status().message(), testing::HasSubstr("is \"" + std::string(wrong) + "\" there; expected"));
  }
}

}  // namespace
}  // namespace starling
