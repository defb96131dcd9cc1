#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completions.h"

namespace starling::cli {
namespace {

// `command` is the one that was chosen, `previous` the option whose value is completed, if it is one. Bash takes '='
// for a word of its own.
constexpr const char* kBashBegin = R"bash(# What bash completes of starling; made by `starling completions bash`.
_starling() {
  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command= index options= words= files= values= has_value=
  COMPREPLY=()
  if [[ $cur == = ]]; then
    cur=
  elif [[ $previous == = ]] && ((COMP_CWORD > 1)); then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
)bash";

constexpr const char* kBashEnd = R"bash(
  if [[ -z $has_value ]]; then values=$words; [[ $cur == -* ]] && values=$options; fi
  COMPREPLY=($(compgen -W "$values" -- "$cur"))
  if [[ -n $files && ( -n $has_value || $cur != -* ) ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
  fi
}
complete -F _starling starling
)bash";

// Behind `--` there is a program, then its arguments.
constexpr const char* kBashProgram = R"bash(
  for ((++index; index < COMP_CWORD; ++index)); do
    [[ ${COMP_WORDS[index]} == -- ]] || continue
    case $command in
      @)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        ((index + 1 == COMP_CWORD)) && COMPREPLY+=($(compgen -c -- "$cur"))
        ;;
    esac
    return
  done
)bash";

// Writes the names of options with values as a pattern: "--db | --color".
std::string patternOf(const std::vector<OptionNode>& options) {
  std::vector<std::string> names;
  for (const OptionNode& option : options) {
    if (!option.value.empty()) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("{}", fmt::join(names, " | "));
}

std::string findCommand(const CommandTree& tree) {
  return fmt::format(R"bash(  for ((index = 1; index < COMP_CWORD; ++index)); do
    case ${{COMP_WORDS[index]}} in
      {}) [[ ${{COMP_WORDS[index+1]}} == = ]] && ((++index)); ((++index)) ;;
      -* | =) ;;
      *) command=${{COMP_WORDS[index]}}; break ;;
    esac
  done
)bash",
                     patternOf(tree.common.options));
}

std::string programPart(const CommandTree& tree) {
  std::vector<std::string> names;
  for (const CommandNode& command : tree.commands) {
    if (command.takes_program) names.push_back(command.name);
  }
  std::string text = kBashProgram;
  return text.replace(text.find('@'), 1, fmt::format("{}", fmt::join(names, " | ")));
}

// Writes what is known of one command, whose words come where no option's value is completed.
std::string caseForBash(const std::string& name, const std::vector<OptionNode>& options,
                        const std::vector<std::string>& words, bool takes_files) {
  std::vector<std::string> names;
  std::string values;
  for (const OptionNode& option : options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
    if (option.value.empty()) continue;
    values += fmt::format("        {}) has_value=1 values='{}' files={} ;;\n", fmt::join(option.names, " | "),
                          fmt::join(option.words, " "), option.takesFile() ? "1" : "");
  }
  return fmt::format(
      "    {})\n      options='{}'\n      words='{}' files={}\n      case $previous in\n{}      esac\n      ;;\n", name,
      fmt::join(names, " "), fmt::join(words, " "), takes_files ? "1" : "", values);
}

}  // namespace

std::string completionsForBash(const CommandTree& tree) {
  std::vector<std::string> commands;
  for (const CommandNode& command : tree.commands) commands.push_back(command.name);
  std::string text = kBashBegin + findCommand(tree) + programPart(tree) + "\n  case $command in\n";
  text += caseForBash("''", tree.common.options, commands, false);
  for (const CommandNode& command : tree.commands) {
    std::vector<std::string> words;
    bool takes_files = false;
    for (const OptionNode& argument : command.arguments) {
      words.insert(words.end(), argument.words.begin(), argument.words.end());
      takes_files = takes_files || argument.takesFile();
    }
    text += caseForBash(command.name, optionsOf(tree, command), words, takes_files);
  }
  return text + "  esac\n" + kBashEnd;
}

}  // namespace starling::cli
