#include "site_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/nearest_word.h"
#include "summary/site_name.h"

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

// Returns what people may call the site.
std::vector<std::string> namesOf(const RecordedKey& key) {
  std::vector<std::string> names{key.row.site.label, key.row.site.identity, key.where()};
  for (const std::string& symbol : {key.place.symbol, key.row.site.symbol}) {
    names.push_back(symbol);
    names.push_back(shortSymbol(symbol));
  }
  std::erase(names, "");
  return names;
}

bool isLabelled(const RecordedKey& key, const std::string& text) {
  return key.row.site.label == text || key.row.site.identity == text;
}

bool isCalled(const RecordedKey& key, const std::string& text) {
  const std::vector<std::string> names = namesOf(key);
  return std::ranges::find(names, text) != names.end();
}

bool nameHas(const RecordedKey& key, const std::string& text) {
  return std::ranges::any_of(namesOf(key),
                             [&](const std::string& name) { return name.find(text) != std::string::npos; });
}

Matches search(std::span<const RecordedKey> keys, const std::string& text) {
  if (text.empty()) return {};
  if (isNumber(text)) {
    Matches matches = matchesOf(keys, [&](const RecordedKey& key) { return std::to_string(key.siteNumber()) == text; });
    if (!matches.empty()) return matches;
    // It may be a label, but lines and offsets have the digits of any number in them.
    return matchesOf(keys, [&](const RecordedKey& key) { return isLabelled(key, text); });
  }
  for (const auto condition : {isLabelled, isCalled, nameHas}) {
    Matches matches = matchesOf(keys, [&](const RecordedKey& key) { return condition(key, text); });
    if (!matches.empty()) return matches;
  }
  return {};
}

std::string nearestOf(std::span<const RecordedKey> keys, const std::string& text) {
  std::vector<std::string> names;
  for (const RecordedKey& key : keys) {
    for (std::string& name : namesOf(key)) names.push_back(std::move(name));
  }
  return didYouMean(text, names);
}

}  // namespace

Result<std::int64_t> findSite(std::span<const RecordedKey> keys, const std::string& text) {
  const Matches matches = search(keys, text);
  if (matches.empty() && isNumber(text)) {
    return Status::error(fmt::format(
        "there is no site {} in what was looked at: `starling sites` lists those of the latest run, `starling sites "
        "--run all` those of all runs, whose commands take `--run`",
        text));
  }
  if (matches.empty()) {
    return Status::error(fmt::format("there is no site '{}': `starling sites` lists numbers, labels and symbols{}",
                                     text, nearestOf(keys, text)));
  }
  if (matches.size() == 1) return matches.begin()->first;
  std::string list;
  for (const auto& [number, where] : matches) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", number, where);
  return Status::error(fmt::format("'{}' matches {} sites: {}; give the number", text, matches.size(), list));
}

}  // namespace starling::cli
