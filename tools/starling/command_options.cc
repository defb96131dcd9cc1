#include "command_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "algos/catalogue.h"
#include "base/nearest_word.h"
#include "base/value_words.h"
#include "recording.h"

namespace starling::cli {
namespace {

// Checks that have words are found by this name.
constexpr const char* kWordsName = "words";

// The words are kept as the description of the check.
CLI::Validator withWords(CLI::Validator check, const std::vector<std::string>& words) {
  return check.name(kWordsName).description(fmt::format("{}", fmt::join(words, "|")));
}

}  // namespace

std::string faultOfLimit(const std::string& text) {
  std::int64_t limit = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (fault == std::errc() && end == text.data() + text.size() && limit > 0) return "";
  return fmt::format("'{}' is not a number of rows: give 1 or more", text);
}

CLI::Validator oneOf(const std::string& noun, const std::vector<std::string>& words,
                     std::function<bool(const std::string&)> is_taken) {
  const auto fault_of = [noun, words, is_taken = std::move(is_taken)](const std::string& text) -> std::string {
    const bool is_word = std::find(words.begin(), words.end(), text) != words.end();
    if (is_word || (is_taken && is_taken(text))) return "";
    return fmt::format("there is no {} '{}': use one of {}{}", noun, text, fmt::join(words, ", "),
                       didYouMean(text, words));
  };
  return withWords(CLI::Validator(fault_of, ""), words);
}

CLI::Validator offering(const std::vector<std::string>& words) {
  return withWords(CLI::Validator([](const std::string&) { return std::string(); }, ""), words);
}

std::vector<std::string> algorithmNames() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : catalogue()) names.emplace_back(algorithm.name);
  return names;
}

std::vector<std::string> wordsOf(CLI::Option& option) {
  try {
    const std::string text = option.get_validator(kWordsName)->get_description();
    const std::vector<std::string> words = valueWords(text);
    return words.empty() && !text.empty() ? std::vector{text} : words;
  } catch (const CLI::OptionNotFound&) {
    return valueWords(option.get_option_text());
  }
}

void addRunOption(CLI::App& command, std::string& run, const std::string& help) {
  command.add_option("--run", run, fmt::format("{}: its number, `latest` or `all` (default: {})", help, run))
      ->option_text("N")
      ->check([](const std::string& text) { return checkRunChoice(text).message(); })
      ->check(offering({"latest", "all"}));
}

void addSingleRunOption(CLI::App& command, std::string& run, const std::string& doing) {
  command.add_option("--run", run, "Which run: its number or `latest` (default: latest)")
      ->option_text("N")
      ->check([doing](const std::string& text) {
        if (text == "all") return "one run is " + doing + " at a time: give its number, or `latest`";
        return checkRunChoice(text).message();
      })
      ->check(offering({"latest"}));
}

void addJsonFlag(CLI::App& command, bool& json) { command.add_flag("--json", json, "Print JSON"); }

std::string faultOfFile(const std::string& path) {
  return path.empty() ? "FILE is empty: give a name, or leave the option out" : "";
}

std::string faultOfEmptyValue(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    const std::size_t name = argument.size() - 1;
    if (!argument.starts_with("--") || argument.find('=') != name) continue;
    return fmt::format("{} has no value: give one, or leave the option out", argument.substr(0, name));
  }
  return "";
}

void addOutputOption(CLI::App& command, std::string& path) {
  command.add_option("-o,--output", path, "Write to this file; - is standard output, the default")
      ->option_text("FILE")
      ->check(faultOfFile);
}

void addSiteArgument(CLI::App& command, std::string& site, bool is_required) {
  const std::string help = "The site: its number, label or symbol, or a part of these that no other has";
  command.add_option("SITE", site, is_required ? help : help + " (default: all sites)")->required(is_required);
}

void addSiteQuery(CLI::App& command, Query& query) {
  addSiteArgument(command, query.site, true);
  addRunOption(command, query.run);
  addJsonFlag(command, query.json);
}

void addListOptions(CLI::App& command, ListOptions& options, const std::vector<ColumnName>& columns) {
  CLI::Option* json = command.add_flag("--json", options.json, "Print JSON, durations in seconds");
  command.add_flag("--csv", options.csv, "Print comma-separated values, durations in seconds")->excludes(json);
  addSortOptions(command, options, columns);
  command.add_option("--limit", options.limit, "Print the first N rows alone")->option_text("N")->check(faultOfLimit);
}

void addSortOptions(CLI::App& command, ListOptions& options, const std::vector<ColumnName>& columns) {
  std::vector<std::string> words;
  for (const ColumnName& column : columns) words.push_back(column.word());
  const auto is_column = [columns](const std::string& text) {
    return std::any_of(columns.begin(), columns.end(), [&](const ColumnName& name) { return isNamed(name, text); });
  };
  command.add_option("--sort", options.sort, "Sort by this column: figures largest first, others from the lowest on")
      ->option_text("COLUMN")
      ->check(oneOf("column", words, is_column));
  command.add_flag("--reverse", options.is_reversed, "Turn the order round");
}

void addSiteListQuery(CLI::App& command, ListQuery& query, const std::vector<ColumnName>& columns) {
  addSiteArgument(command, query.site, true);
  addRunOption(command, query.run);
  addListOptions(command, query.list, columns);
}

void addMarkdownFlag(CLI::App& command, bool& markdown) {
  CLI::Option* flag = command.add_flag("--markdown", markdown, "Print Markdown");
  for (const char* other : {"--json", "--csv"}) flag->excludes(command.get_option(other));
}

}  // namespace starling::cli
