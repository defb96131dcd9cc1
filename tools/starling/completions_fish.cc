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

// The functions that conditions call. Behind `--` there is a program, then its arguments.
constexpr const char* kFunctionsForFish = R"fish(
# Prints the words before the one that is completed, from the command on.
function __starling_words
  set -l words (commandline -opc)
  set -e words[1]
  while set -q words[1]
    switch $words[1]
      case @
        set -e words[1]
      case '-*'
      case '*'
        break
    end
    set -q words[1]; and set -e words[1]
  end
  set -q words[1]; and printf '%s\n' $words
end

function __starling_lacks_command
  set -l words (__starling_words)
  not set -q words[1]
end

# Whether options and arguments of the command are completed, and no program.
function __starling_is
  set -l words (__starling_words)
  set -q words[1]; and test $words[1] = $argv[1]; and not contains -- -- $words
end

function __starling_has_program
  contains -- -- (__starling_words)
end

function __starling_complete_program
  set -l words (__starling_words)
  set -l line (string escape -- $words[(math (contains -i -- -- $words) + 1)..-1])
  set -l current (commandline -ct)
  complete -C "$line $current"
end

)fish";

// Writes the names of options with values as patterns of `case`.
std::string patternsOf(const std::vector<OptionNode>& options) {
  std::vector<std::string> names;
  for (const OptionNode& option : options) {
    if (!option.value.empty()) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

std::string functionsForFish(const CommandTree& tree) {
  std::string text = kFunctionsForFish;
  return text.replace(text.find('@'), 1, patternsOf(tree.common.options));
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
  text += functionsForFish(tree);
  for (const OptionNode& option : tree.common.options) {
    text += lineForFish(" -n 'not __starling_has_program'", option);
  }
  text += "complete -c starling -n __starling_has_program -a '(__starling_complete_program)'\n";
  for (const CommandNode& command : tree.commands) {
    text += fmt::format("complete -c starling -n __starling_lacks_command -a {} -d {}\n", command.name,
                        quotedForFish(command.help));
    const std::string condition = fmt::format(" -n '__starling_is {}'", command.name);
    for (const OptionNode& option : command.options) text += lineForFish(condition, option);
    for (const OptionNode& argument : command.arguments) {
      if (argument.takesFile()) text += "complete -c starling" + condition + " -F\n";
      if (argument.words.empty()) continue;
      text += fmt::format("complete -c starling{} -a {}\n", condition,
                          quotedForFish(fmt::format("{}", fmt::join(argument.words, " "))));
    }
  }
  return text;
}

}  // namespace starling::cli
