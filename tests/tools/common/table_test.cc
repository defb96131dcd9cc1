#include "table.h"

#include <gtest/gtest.h>

namespace starling::cli {
namespace {

TEST(Table, alignsColumnsAndLeavesNoBlanksAtLineEnds) {
  Table table({{"NAME"}, {"CALLS", Align::kRight}, {"STATE"}});
  table.addRow({"a", "7", "settled"});
  table.addRow({"longer", "1200", ""});
  EXPECT_EQ(table.text(),
            "NAME    CALLS  STATE\n"
            "a           7  settled\n"
            "longer   1200\n");
}

TEST(Table, breaksTheLastColumnBetweenWords) {
  Table table({{"SITE", Align::kRight}, {"REASON"}});
  table.addRow({"1", "one two three four five six seven eight nine ten eleven twelve"});
  table.addRow({"2", ""});
  EXPECT_EQ(table.textWithin(60),
            "SITE  REASON\n"
            "   1  one two three four five six seven eight nine ten\n"
            "      eleven twelve\n"
            "   2\n");
  EXPECT_EQ(table.textWithin(200), table.text());
}

TEST(Table, putsTheLastColumnBelowTheOthersWhereTheseLeaveLittleRoom) {
  Table table({{"NAME"}, {"REASON"}});
  table.addRow({"name", "a reason of more words than there is room for beside the name"});
  EXPECT_EQ(table.textWithin(30),
            "NAME\n"
            "      REASON\n"
            "name\n"
            "      a reason of more words\n"
            "      than there is room for\n"
            "      beside the name\n");
}

TEST(Table, breaksWordsOnlyWhereTheyAreLongerThanTheLine) {
  EXPECT_EQ(brokenLines("a longestword b", 4), (std::vector<std::string>{"a", "long", "estw", "ord", "b"}));
  EXPECT_EQ(brokenLines("ńńńńń", 2), (std::vector<std::string>{"ńń", "ńń", "ń"}));
  EXPECT_EQ(brokenLines("", 4), std::vector<std::string>{""});
}

TEST(Table, givesRowsSeveralLinesWhereOneIsNotEnough) {
  Table table({{"SITE", Align::kRight}, {"WHERE"}, {"CALLS", Align::kRight}, {"TIME", Align::kRight}, {"STATE"}});
  table.addRow({"1", "Solver::dot(std::vector<double>)", "120", "7.50 s", "settled"});
  EXPECT_EQ(table.textWithin(34),
            "SITE  WHERE              CALLS\n"
            "        TIME  STATE\n"
            "   1  Solver::dot(std::    120\n"
            "      vector<double>)\n"
            "      7.50 s  settled\n");
}

TEST(Table, countsCharactersNotBytes) {
  EXPECT_EQ(displayWidth("Gdańsk"), 6U);
  Table table({{"A", Align::kRight}, {"B"}});
  table.addRow({"ńń", "x"});
  table.addRow({"aaa", "y"});
  EXPECT_EQ(table.text(), "  A  B\n ńń  x\naaa  y\n");
}

TEST(Table, showsCellsThatWouldForgeRowsAsEscapes) {
  Table table({{"A"}, {"B"}});
  table.addRow({"a\nforged  row", "\x1b[2J"});
  EXPECT_EQ(table.text(), "A                 B\na\\x0aforged  row  \\x1b[2J\n");
}

TEST(Table, escapesBarsInMarkdown) {
  Table table({{"VALUES"}, {"N", Align::kRight}});
  table.addRow({"off | tune", "2"});
  EXPECT_EQ(table.markdown(), "| VALUES | N |\n|---|---:|\n| off \\| tune | 2 |\n");
}

}  // namespace
}  // namespace starling::cli
