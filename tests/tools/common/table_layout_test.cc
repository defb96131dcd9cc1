#include "table_layout.h"

#include <gtest/gtest.h>

namespace starling::cli {
namespace {

ColumnNeed text(std::size_t width) { return {4, width, true}; }
ColumnNeed figure(std::size_t width) { return {4, width, false}; }

std::vector<std::size_t> linesOf(const std::vector<ColumnPlace>& places) {
  std::vector<std::size_t> lines;
  for (const ColumnPlace& place : places) lines.push_back(place.line);
  return lines;
}

std::vector<std::size_t> widthsOf(const std::vector<ColumnPlace>& places) {
  std::vector<std::size_t> widths;
  for (const ColumnPlace& place : places) widths.push_back(place.width);
  return widths;
}

using Sizes = std::vector<std::size_t>;

TEST(TableLayout, leavesColumnsThatFit) {
  const auto places = placeColumns(std::vector{text(30), figure(8), text(20)}, 62);
  EXPECT_EQ(linesOf(places), (Sizes{0, 0, 0}));
  EXPECT_EQ(widthsOf(places), (Sizes{30, 8, 20}));
}

TEST(TableLayout, breaksTheLastTextFirst) {
  const auto places = placeColumns(std::vector{text(30), figure(8), text(200)}, 100);
  EXPECT_EQ(linesOf(places), (Sizes{0, 0, 0}));
  EXPECT_EQ(widthsOf(places), (Sizes{30, 8, 58}));
}

TEST(TableLayout, breaksLongTextsToAQuarterOfTheLine) {
  const auto places = placeColumns(std::vector{text(90), figure(8), text(20)}, 100);
  EXPECT_EQ(linesOf(places), (Sizes{0, 0, 0}));
  EXPECT_EQ(widthsOf(places), (Sizes{25, 8, 20}));
}

TEST(TableLayout, givesRowsSeveralLinesWhereFiguresAreMany) {
  const auto places = placeColumns(std::vector{figure(20), figure(20), text(60), figure(20)}, 60);
  EXPECT_EQ(linesOf(places), (Sizes{0, 0, 1, 1}));
  EXPECT_EQ(widthsOf(places), (Sizes{20, 20, 30, 20}));
}

TEST(TableLayout, staysWithinTheLine) {
  for (std::size_t width = 20; width < 140; ++width) {
    const auto places = placeColumns(std::vector{figure(5), text(40), figure(8), text(11), figure(9), text(70)}, width);
    std::size_t line = 0;
    std::size_t used = 0;
    for (const ColumnPlace& place : places) {
      used = place.line == line ? used : kRowIndent;
      line = place.line;
      EXPECT_LE(used + place.width, width) << width;
      used += place.width + kColumnGap;
    }
  }
}

TEST(TableLayout, placesNothing) { EXPECT_TRUE(placeColumns({}, 80).empty()); }

}  // namespace
}  // namespace starling::cli
