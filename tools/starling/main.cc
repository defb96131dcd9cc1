#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <string>

#include "base/nearest_word.h"
#include "command_options.h"
#include "commands.h"
#include "option_values.h"
#include "terminal.h"
#include "usage_error.h"

namespace starling::cli {
namespace {

const CommandRow* findCommand(const std::string& name) {
  for (const CommandRow& row : commandTable()) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

// Returns where the command's name is; the end when there is none. The values of --db and --color could be mistaken for
// it.
std::vector<std::string>::iterator commandName(std::vector<std::string>& arguments) {
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    if (!argument->starts_with("-")) return argument;
    const bool has_value = *argument == "--db" || *argument == "--color";
    if (has_value && ++argument == arguments.end()) break;
  }
  return arguments.end();
}

// Takes the arguments of a command that parses its own out of `arguments`; `--help` stays.
std::vector<std::string> takeRawArguments(std::vector<std::string>& arguments) {
  auto first = commandName(arguments);
  if (first == arguments.end()) return {};
  const CommandRow* row = findCommand(*first++);
  if (row == nullptr || !row->takes_raw_arguments) return {};
  if (first != arguments.end() && (*first == "--help" || *first == "-h")) return {};
  std::vector<std::string> raw(first, arguments.end());
  arguments.erase(first, arguments.end());
  return raw;
}

Outcome unknownCommand(const std::string& name) {
  std::string known;
  for (const CommandRow& row : commandTable()) known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  return Outcome::usage(fmt::format("there is no command '{}': the commands are {}{}", name, known,
                                    didYouMean(name, commandTable(), [](const CommandRow& row) { return row.name; })));
}

int report(const Outcome& outcome) {
  if (!outcome.message().empty()) tell(outcome.message());
  return outcome.exitCode();
}

// To change another database than the one that is meant cannot be undone.
Outcome perform(const CommandRow& row, const Action& action, const Globals& globals) {
  if (row.writes_database) {
    if (const std::string fault = globals.faultOfDatabase(); !fault.empty()) {
      return Outcome::usage(fmt::format("{}, or give --db FILE; `starling {}` has changed nothing", fault, row.name));
    }
  }
  return action();
}

// What was printed may be lost only now, as on a full disk.
Outcome printed(Outcome outcome) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return outcome;
  if (outcome.exitCode() != 0) return outcome;
  return Outcome::fault(fmt::format("cannot write the output: {}", std::strerror(errno)));
}

Outcome usageOutcome(CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  std::string help = "starling --help";
  for (const CLI::App* command : app.get_subcommands()) help = "starling " + command->get_name() + " --help";
  return Outcome::usage(fmt::format("{} (see `{}`)", sentenceOf(error, app, arguments), help));
}

void addGlobalOptions(CLI::App& app, Globals& globals) {
  app.set_version_flag("--version", "starling " STARLING_VERSION);
  app.add_option("--db", globals.database, "The tuning database (default: STARLING_DB, else the user's data folder)")
      ->option_text("FILE")
      ->check(faultOfFile);
  app.add_option("--color", globals.colour, "Colours; auto: on a terminal, unless NO_COLOR is set (default: auto)")
      ->option_text("auto|always|never")
      ->check(oneOf("choice of colours", {"auto", "always", "never"}));
}

int runProgram(std::vector<std::string> arguments) {
  Globals globals;
  CLI::App app{"Starling makes MPI_Allreduce fit the program that calls it", "starling"};
  addGlobalOptions(app, globals);
  refuseOptionsAsValues(app);
  app.require_subcommand(1);
  app.fallthrough();

  std::map<const CLI::App*, Action> actions;
  for (const CommandRow& row : commandTable()) {
    CLI::App* command = app.add_subcommand(row.name, row.help);
    actions[command] = row.setUp(*command, globals);
    refuseOptionsAsValues(*command);
  }

  const auto name = commandName(arguments);
  if (name != arguments.end() && findCommand(*name) == nullptr) return report(unknownCommand(*name));
  globals.raw_arguments = takeRawArguments(arguments);
  if (const std::string fault = faultOfEmptyValue(arguments); !fault.empty()) {
    return report(Outcome::usage(fault + " (see `starling --help`)"));
  }
  try {
    // CLI11 takes the arguments from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);
      std::cout.flush();
      return report(printed(Outcome::ok()));
    }
    return report(usageOutcome(app, error, arguments));
  }
  const CLI::App* command = app.get_subcommands().front();
  return report(printed(perform(*findCommand(command->get_name()), actions.at(command), globals)));
}

}  // namespace
}  // namespace starling::cli

int main(int argc, char** argv) {
  try {
    return starling::cli::runProgram(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    starling::cli::tell(error.what());
    return starling::cli::kExitFault;
  }
}
