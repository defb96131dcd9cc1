#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "store/policy_document.h"
#include "store/record_json.h"

namespace starling {
namespace {

constexpr const char* kFormat = "starling-policy";
constexpr std::int64_t kVersion = 1;
constexpr std::int32_t kLargestClass = 62;  // 2^62 bytes is the last power of two that 63 bits hold with room for + 1

Status wrong(std::string_view what) { return Status::error(fmt::format("policy document, {}", what)); }

// The header, and that nothing else is at the top.
Status checkTop(const Json& json) {
  constexpr std::string_view kFields[] = {"format", "version", "environment", "program", "policies"};
  if (!json.is_object()) return wrong("top: expected an object with format, version, environment, program, policies");
  const auto format = json.find("format");
  if (format == json.end() || *format != kFormat) {
    return wrong(
        fmt::format("format: is {}; expected \"{}\"", format == json.end() ? "missing" : format->dump(), kFormat));
  }
  const auto version = json.find("version");
  if (version == json.end() || *version != kVersion) {
    return wrong(fmt::format("version: is {}; this Starling reads version {}",
                             version == json.end() ? "missing" : version->dump(), kVersion));
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

bool isPermutation(const std::vector<std::int32_t>& table) {
  std::vector<std::int32_t> sorted = table;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<std::int32_t>(i)) return false;
  }
  return true;
}

// What a policy's kinds of fields do not tell.
Status checkPolicy(const PolicyRecord& policy, const std::string& where) {
  const auto ranks = static_cast<std::size_t>(std::max(policy.communicator_size, 0));
  if (policy.communicator_size < 1) {
    return wrong(fmt::format("{}.communicator_size: is {}; expected 1 or more", where, policy.communicator_size));
  }
  if (policy.size_class < 0 || policy.size_class > kLargestClass) {
    return wrong(fmt::format("{}.size_class: is {}; expected 0 to {}, class c being the bytes above 2^(c-1) up to 2^c",
                             where, policy.size_class, kLargestClass));
  }
  if (policy.site.empty()) return wrong(where + ".site: is empty; expected a site's identity, or \"any\"");
  if (policy.choice.empty()) return wrong(where + ".choice: is empty; expected an algorithm, as in \"ring\"");
  if (!policy.table.empty() && (policy.table.size() != ranks || !isPermutation(policy.table))) {
    return wrong(fmt::format("{}.table: is no order of the ranks; expected each of 0 to {} once, or an empty list",
                             where, ranks - 1));
  }
  if (!policy.lateness_ns.empty() && policy.lateness_ns.size() != ranks) {
    return wrong(fmt::format("{}.lateness_ns: has {} entries; expected {}, one for each virtual rank, or none", where,
                             policy.lateness_ns.size(), ranks));
  }
  return Status::ok();
}

Result<Json> parseText(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& fault) {
    // "[json.exception.parse_error.101] parse error at line 3, column 1: ...": without the library's own tag.
    const std::string_view message = fault.what();
    const std::size_t tag = message.find("] ");
    return wrong(fmt::format("{}; expected JSON as `starling export` writes it",
                             tag == std::string_view::npos ? message : message.substr(tag + 2)));
  }
}

// As Json::dump() with an indent, but with lists of numbers on one line: tables are as long as there are ranks.
void print(const Json& json, int indent, std::string& text) {
  const bool has_lines = json.is_object() || (json.is_array() && !json.empty() && json.front().is_structured());
  if (!has_lines) {
    text += json.dump(-1, ' ', false, Json::error_handler_t::replace);
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
  if (!json["program"].is_string()) return wrong("program: expected a text, the file name of the executable");
  document.program = json["program"].get<std::string>();
  if (Status read = fromJson(json["policies"], "policies", document.policies); !read.isOk()) {
    return wrong(read.message());
  }
  for (std::size_t i = 0; i < document.policies.size(); ++i) {
    if (Status valid = checkPolicy(document.policies[i], fmt::format("policies[{}]", i)); !valid.isOk()) return valid;
  }
  return document;
}

}  // namespace starling
