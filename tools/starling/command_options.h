// Defines options that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "base/status.h"

namespace starling::cli {

// Makes a CLI11 check of a parser: a wrong value is told with the parser's own sentence.
template <typename Value>
std::function<std::string(const std::string&)> checkedBy(Result<Value> (*parse)(std::string_view)) {
  return [parse](const std::string& text) { return parse(text).status().message(); };
}

// The commands that read the database ask for this.
struct Query {
  std::string run = "latest";
  std::string site;
  bool json = false;
};

void addRunOption(CLI::App& command, std::string& run);
// The same, but `all` is refused: `doing` says what is done one run at a time.
void addSingleRunOption(CLI::App& command, std::string& run, const std::string& doing);
void addJsonFlag(CLI::App& command, bool& json);
// Adds SITE, --run and --json.
void addSiteQuery(CLI::App& command, Query& query);

}  // namespace starling::cli
