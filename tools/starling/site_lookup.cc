#include "site_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace starling::cli {
namespace {

// Matches map a site's number to the site's name.
using Matches = std::map<std::int64_t, std::string>;

template <typename Condition>
Matches matchesOf(std::span<const RecordedKey> keys, Condition condition) {
  Matches matches;
  for (const RecordedKey& key : keys) {
    if (condition(key)) matches.emplace(key.siteNumber(), key.where());
  }
  return matches;
}

bool isNumber(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool isNamed(const RecordedKey& key, const std::string& text) {
  return key.row.site.label == text || key.row.site.identity == text;
}

bool symbolHas(const RecordedKey& key, const std::string& text) {
  return key.place.symbol.find(text) != std::string::npos || key.row.site.symbol.find(text) != std::string::npos;
}

Matches search(std::span<const RecordedKey> keys, const std::string& text) {
  if (text.empty()) return {};
  if (isNumber(text)) {
    Matches matches = matchesOf(keys, [&](const RecordedKey& key) { return std::to_string(key.siteNumber()) == text; });
    if (!matches.empty()) return matches;
  }
  Matches matches = matchesOf(keys, [&](const RecordedKey& key) { return isNamed(key, text); });
  if (!matches.empty()) return matches;
  return matchesOf(keys, [&](const RecordedKey& key) { return symbolHas(key, text); });
}

}  // namespace

Result<std::int64_t> findSite(std::span<const RecordedKey> keys, const std::string& text) {
  const Matches matches = search(keys, text);
  if (matches.empty()) {
    return Status::error(
        fmt::format("there is no site '{}': `starling sites` lists numbers, labels and symbols", text));
  }
  if (matches.size() == 1) return matches.begin()->first;
  std::string list;
  for (const auto& [number, where] : matches) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", number, where);
  return Status::error(fmt::format("'{}' matches {} sites: {}; give the number", text, matches.size(), list));
}

}  // namespace starling::cli
