#include "usage_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest_word.h"

namespace starling::cli {
namespace {

// Returns the command that was chosen, else the app itself.
CLI::App& chosen(CLI::App& app) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  return commands.empty() ? app : *commands.front();
}

std::vector<std::string> longNames(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// Returns the commands that take the option, as "`sites`, `show`"; empty where none does.
std::string commandsWith(CLI::App& app, const std::string& option) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_option_no_throw(option) == nullptr) continue;
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", command->get_name());
  }
  return names;
}

// Returns what to do about an option that was not expected where it stands; empty where nothing comes to mind.
std::string hintFor(const std::string& option, CLI::App& app, const std::vector<std::string>& arguments) {
  CLI::App& command = chosen(app);
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const auto place = std::find_if(arguments.begin(), arguments.end(),
                                  [&](const std::string& argument) { return argument.starts_with(option); });
  if (command.get_option_no_throw(option) != nullptr || app.get_option_no_throw(option) != nullptr) {
    if (separator < place) return fmt::format("; {} comes before `--`", option);
    return fmt::format("; it is an option of `{0}`: write it behind `{0}`", command.get_name());
  }
  std::vector<std::string> known = longNames(command);
  if (&command != &app) {
    const std::vector<std::string> common = longNames(app);
    known.insert(known.end(), common.begin(), common.end());
  }
  if (const std::string meant = didYouMean(option, known); !meant.empty()) return meant;
  const std::string commands = commandsWith(app, option);
  return commands.empty() ? "" : fmt::format("; it is an option of {}", commands);
}

}  // namespace

std::string sentenceOf(const CLI::ParseError& error, CLI::App& app, const std::vector<std::string>& arguments) {
  std::string message = error.what();
  while (!message.empty() && message.back() == '\n') message.pop_back();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return message;
  const std::vector<std::string> extras = app.remaining(true);
  // The library's own message has them the other way round.
  if (extras.size() > 1) message = fmt::format("The following arguments were not expected: {}", fmt::join(extras, " "));
  for (const std::string& extra : extras) {
    if (extra.starts_with("-") && extra != "--")
      return message + hintFor(extra.substr(0, extra.find('=')), app, arguments);
  }
  return message;
}

}  // namespace starling::cli
