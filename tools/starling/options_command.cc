#include <fmt/format.h>

#include <memory>

#include "base/options.h"
#include "commands.h"
#include "json_text.h"
#include "table.h"
#include "terminal.h"

namespace starling::cli {
namespace {

struct OptionsArguments {
  bool json = false;
  bool markdown = false;
};

const char* kindOf(const OptionRow& row) { return row.changes_results ? "behaviour" : "speed or logging"; }

std::string defaultOf(const OptionRow& row) {
  if (*row.fallback == '\0') return "-";
  return *row.unit == '\0' ? row.fallback : fmt::format("{} {}", row.fallback, row.unit);
}

Outcome listOptions(const OptionsArguments& arguments) {
  Table table({{"VARIABLE"}, {"VALUES"}, {"DEFAULT"}, {"KIND"}, {"MEANING"}});
  Json rows = Json::array();
  for (const OptionRow& row : optionTable()) {
    table.addRow({row.variable, row.values, defaultOf(row), kindOf(row), row.help});
    Json json;
    json["variable"] = row.variable;
    json["values"] = row.values;
    json["default"] = row.fallback;
    json["unit"] = row.unit;
    json["changes_results"] = row.changes_results;
    json["help"] = row.help;
    rows.push_back(std::move(json));
  }
  fmt::print("{}", arguments.json       ? formatJson(rows)
                   : arguments.markdown ? table.markdown()
                                        : table.textWithin(lineWidth()));
  return Outcome::ok();
}

}  // namespace

Action setUpOptions(CLI::App& command, const Globals&) {
  const auto arguments = std::make_shared<OptionsArguments>();
  CLI::Option* json = command.add_flag("--json", arguments->json, "Print JSON");
  command.add_flag("--markdown", arguments->markdown, "Print Markdown")->excludes(json);
  return [arguments] { return listOptions(*arguments); };
}

}  // namespace starling::cli
