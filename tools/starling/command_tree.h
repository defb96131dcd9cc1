// The commands with their options as `--help` shows them, for manual pages and for what shells complete.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace starling::cli {

// An option, or an argument without a dash.
struct OptionNode {
  std::vector<std::string> names;  // as they are written: "-n", "--np", "SITE"
  std::string value;               // what it takes, as in "FILE"; empty: nothing
  std::vector<std::string> words;  // what that may be; empty: not a few words
  std::string help;                // one line

  bool takesFile() const { return value == "FILE"; }
};

struct CommandNode {
  std::string name;
  std::string help;    // one line
  std::string footer;  // lines; those that begin with a blank are examples
  std::vector<OptionNode> options;
  std::vector<OptionNode> arguments;
  bool takes_program = false;  // behind `--`
};

struct CommandTree {
  CommandNode common;  // the program itself; every command takes its options but --help and --version
  std::vector<CommandNode> commands;
};

CommandTree treeOf(CLI::App& app);

// Returns the options that a command takes: its own and those that are common to all.
std::vector<OptionNode> optionsOf(const CommandTree& tree, const CommandNode& command);

}  // namespace starling::cli
