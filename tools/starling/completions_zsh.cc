#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/printable.h"
#include "completions.h"

namespace starling::cli {
namespace {

// Escapes what has a meaning in the specifications of _arguments and _describe.
std::string escapedForZsh(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

// What stands behind the colon of a message: what completes the value.
std::string actionForZsh(const OptionNode& node) {
  if (!node.words.empty()) return fmt::format("({})", fmt::join(node.words, " "));
  return node.takesFile() ? "_files" : " ";
}

// Writes an argument of _arguments for each name of the option; '=' and '+' say that a value may follow at once.
std::string specificationsForZsh(const OptionNode& option) {
  std::string text;
  for (const std::string& name : option.names) {
    const char* const joined = name.starts_with("--") ? "=" : "+";
    const std::string value =
        option.value.empty() ? "" : fmt::format(":{}:{}", escapedForZsh(option.value), actionForZsh(option));
    text += " \\\n        " + quotedForShell(fmt::format("{}{}[{}]{}", name, option.value.empty() ? "" : joined,
                                                         escapedForZsh(option.help), value));
  }
  return text;
}

std::string caseForZsh(const CommandTree& tree, const CommandNode& command) {
  // -S: behind `--` there are no options of this command.
  std::string text = fmt::format("    {})\n      _arguments -s -S", command.name);
  for (const OptionNode& option : optionsOf(tree, command)) text += specificationsForZsh(option);
  if (command.takes_program) {
    return text + " \\\n        '(-)1: : _command_names -e' \\\n        '*:: : _normal'\n      ;;\n";
  }
  for (const OptionNode& argument : command.arguments) {
    text +=
        " \\\n        " + quotedForShell(fmt::format("*:{}:{}", escapedForZsh(argument.value), actionForZsh(argument)));
  }
  return text + "\n      ;;\n";
}

}  // namespace

std::string completionsForZsh(const CommandTree& tree) {
  std::string text =
      "#compdef starling\n"
      "# What zsh completes of starling; made by `starling completions zsh`.\n"
      "local curcontext=$curcontext state line\n"  // `commands` is zsh's own: all that can be called
      "local -a subcommands\n"
      "subcommands=(\n";
  for (const CommandNode& command : tree.commands) {
    text += "  " + quotedForShell(escapedForZsh(command.name) + ":" + escapedForZsh(command.help)) + "\n";
  }
  text += ")\n_arguments -s -C";
  for (const OptionNode& option : tree.common.options) text += specificationsForZsh(option);
  text +=
      " \\\n        ': :->command' '*:: :->arguments'\n"
      "case $state in\n"
      "  command) _describe -t commands command subcommands ;;\n"
      "  arguments)\n"
      "    case $words[1] in\n";
  for (const CommandNode& command : tree.commands) text += caseForZsh(tree, command);
  return text + "    esac\n    ;;\nesac\n";
}

}  // namespace starling::cli
