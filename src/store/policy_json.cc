#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/policy_check.h"
#include "store/policy_document.h"
#include "store/record_json.h"

namespace starling {
namespace {

constexpr const char* kFormat = "starling-policy";
constexpr std::int64_t kVersion = 1;

// Says what stands there, in a few words however long it is.
std::string valueText(const Json& top, const char* field) {
  const auto found = top.find(field);
  if (found == top.end()) return "missing";
  if (found->is_structured()) return kindOf(*found);
  return fmt::format("{:.100}", found->dump(-1, ' ', true, Json::error_handler_t::replace));
}

Status wrong(std::string_view what) { return Status::error(fmt::format("policy document, {}", what)); }

// Checks the header, and that nothing else is at the top.
Status checkTop(const Json& json) {
  constexpr std::string_view kFields[] = {"format", "version", "environment", "program", "policies"};
  if (!json.is_object()) return wrong("top: expected an object with format, version, environment, program, policies");
  const auto format = json.find("format");
  if (format == json.end() || *format != kFormat) {
    return wrong(fmt::format("format: is {}; expected \"{}\"", valueText(json, "format"), kFormat));
  }
  const auto version = json.find("version");
  if (version == json.end() || *version != kVersion) {
    return wrong(fmt::format("version: is {}; this Starling reads version {}", valueText(json, "version"), kVersion));
  }
  for (const std::string_view field : kFields) {
    if (!json.contains(field)) return wrong(fmt::format("{}: is missing; this field is needed", field));
  }
  for (const auto& item : json.items()) {
    if (std::find(std::begin(kFields), std::end(kFields), item.key()) == std::end(kFields)) {
      return wrong(
          fmt::format("{}: is no known field; expected format, version, environment, program, policies", item.key()));
    }
  }
  return Status::ok();
}

// A document has few levels, and its values may be copied by functions that call themselves for each.
constexpr int kMostLevels = 64;

Result<Json> parseText(std::string_view text) {
  bool is_too_deep = false;
  std::vector<std::set<std::string>> names;  // of the objects that are open, the outermost first
  std::optional<std::string> twice;
  const auto is_taken = [&](int levels, Json::parse_event_t event, const Json& parsed) {
    is_too_deep = is_too_deep || levels > kMostLevels;
    if (event == Json::parse_event_t::object_start) names.emplace_back();
    if (event == Json::parse_event_t::object_end) names.pop_back();
    if (event == Json::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return !is_too_deep;
  };
  try {
    Json json = Json::parse(text, is_taken);
    if (twice)
      return wrong(fmt::format("{:.100}: is there twice in one object; keep one of the two",
                               Json(*twice).dump(-1, ' ', true, Json::error_handler_t::replace)));
    if (!is_too_deep) return json;
    return wrong("top: lists or objects lie too deep in each other; expected JSON as `starling export` writes it");
  } catch (const Json::exception& fault) {
    // The library's own tag is left out of "[json.exception.parse_error.101] parse error at line 3, column 1: ...".
    const std::string_view message = fault.what();
    const std::size_t tag = message.find("] ");
    return wrong(fmt::format("{}; expected JSON as `starling export` writes it",
                             tag == std::string_view::npos ? message : message.substr(tag + 2)));
  }
}

// Prints what Json::dump() does with an indent, but lists of numbers on one line: tables are as long as there are
// ranks.
void print(const Json& json, int indent, std::string& text) {
  const bool has_lines = json.is_object() || (json.is_array() && !json.empty() && json.front().is_structured());
  if (!has_lines) {
    text += json.dump(-1, ' ', true, Json::error_handler_t::replace);
    return;
  }
  const std::string line = fmt::format("\n{:{}}", "", indent);
  const char* separator = "";
  text += json.is_object() ? "{" : "[";
  for (const auto& item : json.items()) {
    text += fmt::format("{}{}  ", separator, line);
    if (json.is_object()) text += fmt::format("\"{}\": ", item.key());
    print(item.value(), indent + 2, text);
    separator = ",";
  }
  text += line;
  text += json.is_object() ? '}' : ']';
}

}  // namespace

std::string formatPolicyJson(const PolicyDocument& document) {
  Json json;
  json["format"] = kFormat;
  json["version"] = kVersion;
  json["environment"] = toJson(document.environment);
  json["program"] = document.program;
  json["policies"] = toJson(document.policies);
  std::string text;
  print(json, 0, text);
  return text + "\n";
}

Result<PolicyDocument> parsePolicyJson(std::string_view text) {
  const Result<Json> parsed = parseText(text);
  if (!parsed.isOk()) return parsed.status();
  const Json& json = parsed.value();
  if (Status top = checkTop(json); !top.isOk()) return top;
  PolicyDocument document;
  if (Status read = fromJson(json["environment"], "environment", document.environment); !read.isOk()) {
    return wrong(read.message());
  }
  if (const Status valid = checkEnvironment(document.environment, "environment"); !valid.isOk()) {
    return wrong(valid.message());
  }
  if (!json["program"].is_string()) return wrong("program: expected a text, the file name of the executable");
  document.program = json["program"].get<std::string>();
  if (const Status valid = checkProgram(document.program, "program"); !valid.isOk()) return wrong(valid.message());
  if (Status read = fromJson(json["policies"], "policies", document.policies); !read.isOk()) {
    return wrong(read.message());
  }
  for (std::size_t i = 0; i < document.policies.size(); ++i) {
    const std::string where = fmt::format("policies[{}]", i);
    const PolicyRecord& policy = document.policies[i];
    for (const Status& checked : {checkFigures(policy, where), checkPolicy(policy, where),
                                  checkSiteIdentity(policy.site, where), checkLateness(policy, where)}) {
      if (!checked.isOk()) return wrong(checked.message());
    }
  }
  return document;
}

}  // namespace starling
