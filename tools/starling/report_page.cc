#include "report_page.h"

#include <map>
#include <string_view>

#include "report_assets.h"

namespace starling::cli {
namespace {

// Replaces every character that `escapes` has.
std::string escaped(std::string_view text, const std::map<char, std::string_view>& escapes) {
  std::string result;
  result.reserve(text.size());
  for (const char one : text) {
    const auto found = escapes.find(one);
    if (found == escapes.end()) {
      result += one;
    } else {
      result += found->second;
    }
  }
  return result;
}

std::string paragraphs(const Json& sentences) {
  std::string text;
  for (const Json& sentence : sentences) text += "<p>" + escapedHtml(sentence.get<std::string>()) + "</p>\n";
  return text;
}

// Puts a value in the place of every "{{name}}". Values are not looked at again, whatever they hold.
std::string filled(std::string_view page, const std::map<std::string_view, std::string_view>& values) {
  std::string text;
  while (!page.empty()) {
    const std::size_t begin = page.find("{{");
    const std::size_t end = begin == std::string_view::npos ? begin : page.find("}}", begin);
    if (end == std::string_view::npos) break;
    text += page.substr(0, begin);
    text += values.at(page.substr(begin + 2, end - begin - 2));
    page.remove_prefix(end + 2);
  }
  return text += page;
}

}  // namespace

std::string escapedHtml(std::string_view text) {
  static const std::map<char, std::string_view> kEscapes{
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  return escaped(text, kEscapes);
}

// Within a string of JSON an escape may stand for any character, and '<' stands nowhere else.
std::string jsonForScript(const Json& json) {
  static const std::map<char, std::string_view> kEscapes{{'<', "\\u003c"}};
  return escaped(json.dump(-1, ' ', true, Json::error_handler_t::replace), kEscapes);
}

std::string reportPage(const Json& report) {
  const std::string title = escapedHtml(report.at("title").get<std::string>());
  const std::string verdict = paragraphs(report.at("verdict"));
  const std::string figures = jsonForScript(report);
  return filled(kReportPage, {{"title", title},
                              {"verdict", verdict},
                              {"style", kReportStyle},
                              {"figures", figures},
                              {"d3", kReportD3},
                              {"plot", kReportPlot},
                              {"script", kReportScript},
                              {"licences", kReportLicences}});
}

}  // namespace starling::cli
