#include "command_tree.h"

#include <algorithm>

#include "command_options.h"

namespace starling::cli {
namespace {

std::string oneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

OptionNode nodeOf(CLI::Option& option) {
  OptionNode node;
  for (const std::string& name : option.get_snames()) node.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) node.names.push_back("--" + name);
  node.help = oneLine(option.get_description());
  node.words = wordsOf(option);
  const std::string& text = option.get_option_text();
  if (option.get_positional()) {
    node.names = {option.get_name(true)};
    node.value = node.names.front();
  } else if (option.get_items_expected_max() > 0 || !text.empty()) {
    node.value = text.empty() ? "VALUE" : text;
  }
  return node;
}

CommandNode nodeOf(CLI::App& app) {
  CommandNode node{app.get_name(), oneLine(app.get_description()), app.get_footer(), {}, {}};
  for (CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? node.arguments : node.options).push_back(nodeOf(*option));
  }
  node.takes_program = std::any_of(node.arguments.begin(), node.arguments.end(),
                                   [](const OptionNode& argument) { return argument.value == kProgramArgument; });
  return node;
}

}  // namespace

CommandTree treeOf(CLI::App& app) {
  CommandTree tree{nodeOf(app), {}};
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    tree.commands.push_back(nodeOf(*command));
  }
  return tree;
}

std::vector<OptionNode> optionsOf(const CommandTree& tree, const CommandNode& command) {
  std::vector<OptionNode> options = command.options;
  for (const OptionNode& option : tree.common.options) {
    const std::string& name = option.names.back();
    if (name != "--help" && name != "--version") options.push_back(option);
  }
  return options;
}

}  // namespace starling::cli
