#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "command_options.h"
#include "commands.h"
#include "manual.h"
#include "text_file.h"

namespace starling::cli {
namespace {

struct ManArguments {
  std::string command;
  std::string folder;
};

// Writes one page for the program, and one for each command.
Outcome writePages(const std::string& folder, const CommandTree& tree) {
  Outcome written = writeText(manualOf(tree), folder + "/starling.1");
  for (const CommandNode& command : tree.commands) {
    if (written.exitCode() != 0) break;
    written = writeText(manualOf(tree, command), fmt::format("{}/starling-{}.1", folder, command.name));
  }
  return written;
}

Outcome printManual(const ManArguments& arguments, const CommandTree& tree) {
  if (!arguments.folder.empty()) return writePages(arguments.folder, tree);
  const auto command = std::ranges::find(tree.commands, arguments.command, &CommandNode::name);
  return writeText(command == tree.commands.end() ? manualOf(tree) : manualOf(tree, *command), "");
}

}  // namespace

Action setUpMan(CLI::App& command, const Globals&) {
  const auto arguments = std::make_shared<ManArguments>();
  std::vector<std::string> names;
  for (const CommandRow& row : commandTable()) names.emplace_back(row.name);
  CLI::Option* name =
      command.add_option("COMMAND", arguments->command, "The page of this command (default: that of starling itself)")
          ->check(oneOf("command", names));
  command.add_option("--folder", arguments->folder, "Write all pages into this folder")
      ->option_text("DIR")
      ->excludes(name);
  command.footer(
      "  starling man sites | man -l -\n"
      "`cmake --install` puts the pages where man looks: `man starling-sites`.");
  return [arguments, &command] { return printManual(*arguments, treeOf(*command.get_parent())); };
}

}  // namespace starling::cli
