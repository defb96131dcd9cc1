#include <memory>
#include <string>

#include "command_options.h"
#include "commands.h"
#include "completions.h"
#include "text_file.h"

namespace starling::cli {
namespace {

struct CompletionsArguments {
  std::string shell;
  std::string output;
};

Outcome printCompletions(const CompletionsArguments& arguments, const CommandTree& tree) {
  return writeText(arguments.shell == "bash"  ? completionsForBash(tree)
                   : arguments.shell == "zsh" ? completionsForZsh(tree)
                                              : completionsForFish(tree),
                   arguments.output);
}

}  // namespace

Action setUpCompletions(CLI::App& command, const Globals&) {
  const auto arguments = std::make_shared<CompletionsArguments>();
  command.add_option("SHELL", arguments->shell, "The shell: bash, zsh or fish")
      ->required()
      ->check(oneOf("shell", {"bash", "zsh", "fish"}));
  addOutputOption(command, arguments->output);
  command.footer(
      "  source <(starling completions bash)\n"
      "  starling completions fish >~/.config/fish/completions/starling.fish\n"
      "`cmake --install` puts them where the shells look.");
  return [arguments, &command] { return printCompletions(*arguments, treeOf(*command.get_parent())); };
}

}  // namespace starling::cli
