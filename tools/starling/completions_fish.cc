#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completions.h"

namespace starling::cli {
namespace {

// Between quotes fish takes \\ and \' for these characters.
std::string quotedForFish(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe + "'";
}

// Writes a line that completes the option where the condition holds.
std::string lineForFish(const std::string& condition, const OptionNode& option) {
  std::string line = "complete -c starling" + condition;
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (option.takesFile()) {
    line += " -r -F";
  } else if (!option.value.empty()) {
    line += " -x";
  }
  if (!option.words.empty()) line += " -a " + quotedForFish(fmt::format("{}", fmt::join(option.words, " ")));
  return line + " -d " + quotedForFish(option.help) + "\n";
}

}  // namespace

std::string completionsForFish(const CommandTree& tree) {
  std::string text =
      "# What fish completes of starling; made by `starling completions fish`.\n"
      "complete -c starling -f\n";
  for (const OptionNode& option : tree.common.options) text += lineForFish("", option);
  for (const CommandNode& command : tree.commands) {
    text += fmt::format("complete -c starling -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quotedForFish(command.help));
    const std::string condition = fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
    for (const OptionNode& option : command.options) text += lineForFish(condition, option);
    for (const OptionNode& argument : command.arguments) {
      if (argument.takesFile() || command.takes_program) text += "complete -c starling" + condition + " -F\n";
      if (argument.words.empty()) continue;
      text += fmt::format("complete -c starling{} -a {}\n", condition,
                          quotedForFish(fmt::format("{}", fmt::join(argument.words, " "))));
    }
  }
  return text;
}

}  // namespace starling::cli
