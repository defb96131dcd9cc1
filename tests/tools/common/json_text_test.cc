#include "json_text.h"

#include <gtest/gtest.h>

namespace starling::cli {
namespace {

TEST(JsonText, csvQuotesWhatNeedsIt) {
  Json row;
  row["where"] = "f(int, int)";
  row["label"] = "say \"hi\"";
  row["table"] = {0, 2, 1};
  row["gain"] = nullptr;
  row["calls"] = 7;
  Json rows = Json::array();
  rows.push_back(row);
  EXPECT_EQ(formatCsv(rows),
            "where,label,table,gain,calls\n"
            "\"f(int, int)\",\"say \"\"hi\"\"\",0 2 1,,7\n");
}

TEST(JsonText, csvKeepsARowInItsLine) {
  Json rows = Json::array();
  rows.push_back({{"label", "a\r\nb,\x1b[2J"}});
  EXPECT_EQ(formatCsv(rows), "label\n\"a\\x0d\\x0ab,\\x1b[2J\"\n");
}

TEST(JsonText, csvKeepsListsOfObjectsAsJson) {
  Json rows = Json::array();
  rows.push_back({{"parameters", Json::array({{{"name", "depth"}}})}});
  EXPECT_EQ(formatCsv(rows), "parameters\n\"[{\"\"name\"\":\"\"depth\"\"}]\"\n");
}

TEST(JsonText, holdsAsciiAlone) {
  const Json json = {{"label", "\u009b2J \x7f\x1b ń"}};
  EXPECT_EQ(formatJson(json), "{\n  \"label\": \"\\u009b2J \\u007f\\u001b \\u0144\"\n}\n");
}

TEST(JsonText, csvHasNoFormulas) {
  const Json rows = Json::array({{{"a", "=1+1"}, {"b", "@x"}, {"c", "-"}, {"d", -1.5}, {"e", "a=b"}}});
  EXPECT_EQ(formatCsv(rows), "a,b,c,d,e\n'=1+1,'@x,-,-1.5,a=b\n");
}

TEST(JsonText, csvOfNothingIsNothing) { EXPECT_EQ(formatCsv(Json::array()), ""); }

TEST(JsonText, bytesThatAreNotUtf8DoNotFail) {
  const Json json = {{"label", "a\xff"}};
  EXPECT_EQ(Json::parse(formatJson(json))["label"], "a\xEF\xBF\xBD");
}

}  // namespace
}  // namespace starling::cli
