// Defines options that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "listing.h"

namespace starling::cli {

// Makes a CLI11 check of a parser: a wrong value is told with the parser's own sentence.
template <typename Value>
std::function<std::string(const std::string&)> checkedBy(Result<Value> (*parse)(std::string_view)) {
  return [parse](const std::string& text) { return parse(text).status().message(); };
}

// What stands behind `--` is declared by this name, for the help only.
inline constexpr const char* kProgramArgument = "program";

// The commands that read the database ask for this.
struct Query {
  std::string run = "latest";
  std::string site;
  bool json = false;
};

// The commands that list what is recorded ask for this.
struct ListQuery {
  std::string run = "latest";
  std::string site{};
  ListOptions list{};
};

// Makes a CLI11 check that takes these words alone; an error names the nearest. What `is_taken` takes passes, too.
CLI::Validator oneOf(const std::string& noun, const std::vector<std::string>& words,
                     std::function<bool(const std::string&)> is_taken = nullptr);
// Makes a CLI11 check that takes everything: these words are what completions offer.
CLI::Validator offering(const std::vector<std::string>& words);
// Returns the names of the catalogue.
std::vector<std::string> algorithmNames();
// Returns the words that an option's check was made of, else those that its text has between bars; none where it has
// neither.
std::vector<std::string> wordsOf(CLI::Option& option);

// The default is what `run` holds.
void addRunOption(CLI::App& command, std::string& run, const std::string& help = "Which run");
// The same, but `all` is refused: `doing` says what is done one run at a time.
void addSingleRunOption(CLI::App& command, std::string& run, const std::string& doing);
void addJsonFlag(CLI::App& command, bool& json);
// A check: a file has a name. An empty one is seldom meant, as where a variable of a shell is not set.
std::string faultOfFile(const std::string& path);
// Returns what is wrong with an option before `--` that ends with its `=`, whose value CLI11 would take from the next
// argument; empty where there is none.
std::string faultOfEmptyValue(const std::vector<std::string>& arguments);
// Adds --output, for writeText().
void addOutputOption(CLI::App& command, std::string& path);
// Adds SITE, --run and --json.
void addSiteQuery(CLI::App& command, Query& query);
// Returns what is wrong with a value of --limit; empty: nothing is.
std::string faultOfLimit(const std::string& text);

// Adds --json, --csv, --sort, --reverse and --limit of a list with these columns.
void addListOptions(CLI::App& command, ListOptions& options, const std::vector<ColumnName>& columns);
// Adds --sort and --reverse alone.
void addSortOptions(CLI::App& command, ListOptions& options, const std::vector<ColumnName>& columns);
// Adds --markdown beside the options of a list.
void addMarkdownFlag(CLI::App& command, bool& markdown);
// Adds SITE, --run and the options of a list.
void addSiteListQuery(CLI::App& command, ListQuery& query, const std::vector<ColumnName>& columns);
void addSiteArgument(CLI::App& command, std::string& site, bool is_required);

}  // namespace starling::cli
