#include "base/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace starling {
namespace {

TEST(Printable, leavesTextOfPeopleAsItIs) {
  for (const std::string text : {"", "Solver::dot(double const*) at a.cc:7", "Gdańsk, Ωmega, 京都, 🐦", "a\\b ~ 'c'"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, showsControlsAsEscapes) {
  EXPECT_EQ(printable("a\nb\r\t\x1b[2J\x7f"), "a\\x0ab\\x0d\\x09\\x1b[2J\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b\x32J"), "\\u009b2J");  // the control sequence introducer in one character
}

TEST(Printable, showsWhatTurnsOrHidesTextAsEscapes) {
  EXPECT_EQ(printable("a\u202eb\u2066c\u200fd\u061c"), "a\\u202eb\\u2066c\\u200fd\\u061c");
  EXPECT_EQ(printable("\u200b\u2028\ufeff\u00ad\U000e0041"), "\\u200b\\u2028\\ufeff\\u00ad\\U000e0041");
}

TEST(Printable, showsBytesThatAreNoUtf8AsEscapes) {
  EXPECT_EQ(printable("a\xff\x62"), "a\\xffb");
  EXPECT_EQ(printable("\x9b"), "\\x9b");           // a control of eight bits
  EXPECT_EQ(printable("\xe2\x80"), "\\xe2\\x80");  // cut off
  EXPECT_EQ(printable("\xc0\x8a"), "\\xc0\\x8a");  // a line end in two bytes
  EXPECT_EQ(printable("\xe0\x80\x8a"), "\\xe0\\x80\\x8a");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\ud800");  // half of a pair of UTF-16
}

TEST(Printable, changesNothingTheSecondTime) {
  const std::string once = printable("\x1b\n\xff\u202e");
  EXPECT_EQ(printable(once), once);
}

}  // namespace
}  // namespace starling
