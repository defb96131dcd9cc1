#include <fmt/format.h>

#include <memory>

#include "base/options.h"
#include "command_options.h"
#include "commands.h"
#include "listing.h"
#include "terminal.h"

namespace starling::cli {
namespace {

struct OptionsArguments {
  ListOptions list;
  bool markdown = false;
};

const char* kindOf(const OptionRow& row) { return row.changes_results ? "behaviour" : "speed or logging"; }

std::string defaultOf(const OptionRow& row) {
  if (*row.fallback == '\0') return "-";
  return *row.unit == '\0' ? row.fallback : fmt::format("{} {}", row.fallback, row.unit);
}

Json optionJson(const OptionRow& row) {
  Json json;
  json["variable"] = row.variable;
  json["values"] = row.values;
  json["default"] = row.fallback;
  json["unit"] = row.unit;
  json["changes_results"] = row.changes_results;
  json["help"] = row.help;
  return json;
}

const ListShape<OptionRow>& optionsShape() {
  static const ListShape<OptionRow> kShape = {
      {{"VARIABLE", ColumnKind::kText, "variable", [](const OptionRow& row) { return row.variable; }},
       {"VALUES", ColumnKind::kText, "values", [](const OptionRow& row) { return row.values; }},
       {"DEFAULT", ColumnKind::kText, "default", defaultOf},
       {"KIND", ColumnKind::kText, "changes_results", kindOf},
       {"MEANING", ColumnKind::kText, "help", [](const OptionRow& row) { return row.help; }}},
      optionJson};
  return kShape;
}

Outcome listOptions(const OptionsArguments& arguments, const Look& look) {
  const auto table = optionTable();
  const auto rows = arranged(optionsShape(), std::vector(table.begin(), table.end()), arguments.list);
  fmt::print("{}", arguments.markdown ? tableOf(optionsShape(), rows).markdown()
                                      : formatList(optionsShape(), rows, arguments.list, look));
  return Outcome::ok();
}

}  // namespace

Action setUpOptions(CLI::App& command, const Globals& globals) {
  const auto arguments = std::make_shared<OptionsArguments>();
  addListOptions(command, arguments->list, optionsShape().names());
  addMarkdownFlag(command, arguments->markdown);
  return [arguments, &globals] { return listOptions(*arguments, globals.look()); };
}

}  // namespace starling::cli
