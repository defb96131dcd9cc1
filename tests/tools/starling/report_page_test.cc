// What a page of a report is made of.
#include "report_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "report_assets.h"

namespace starling::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

Json pageOf(const std::string& text) { return {{"kind", "run"}, {"title", text}, {"verdict", {text}}, {"name", text}}; }

// Returns what stands between the tags of the figures.
std::string figuresIn(const std::string& page) {
  const std::string tag = "<script type=\"application/json\" id=\"figures\">";
  const std::size_t begin = page.find(tag) + tag.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(ReportPage, holdsTextsThatNeverActAsHtml) {
  const std::string text = "</script><script>alert(1)</script><!-- {{script}} & \" ' \xff\xe2\x80\xa8";
  const std::string page = reportPage(pageOf(text));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert(1)")));
  EXPECT_THAT(page, HasSubstr("<p>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!-- {{script}} &amp; &quot; "
                              "&#39; "));
  const std::string figures = figuresIn(page);
  EXPECT_THAT(figures, Not(HasSubstr("<")));
  const Json read = Json::parse(figures, nullptr, false);
  ASSERT_TRUE(read.is_object()) << figures;
  EXPECT_THAT(read["name"].get<std::string>(), HasSubstr("</script><script>alert(1)</script><!-- {{script}} & \" ' "));
}

TEST(ReportPage, keepsFiguresAsTheyAre) {
  const Json json{{"seconds", 0.1 + 0.2}, {"unknown", nullptr}, {"rows", {1, "a < b"}}};
  EXPECT_EQ(Json::parse(jsonForScript(json)), json);
}

TEST(ReportPage, needsNothingButItself) {
  const std::string page = reportPage(pageOf("app"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  const std::regex loads("<(link|img|iframe|object|embed)\\b|<script[^>]*\\ssrc=|@import|url\\(");
  const std::string own = std::string(kReportPage) + std::string(kReportStyle) + std::string(kReportScript);
  EXPECT_FALSE(std::regex_search(own, loads));
  for (const std::string_view part : {kReportStyle, kReportScript, kReportD3, kReportPlot, kReportLicences}) {
    EXPECT_THAT(page, HasSubstr(part));
    EXPECT_THAT(std::string(part), Not(HasSubstr("</script")));
  }
  EXPECT_THAT(std::string(kReportLicences), Not(HasSubstr("--"))) << "they stand in a comment";
}

}  // namespace
}  // namespace starling::cli
