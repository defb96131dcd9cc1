#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "algos/catalogue.h"
#include "base/options.h"
#include "base/text_format.h"
#include "base/value_words.h"
#include "batch_job.h"
#include "command_options.h"
#include "commands.h"
#include "installation.h"
#include "launch.h"
#include "terminal.h"

namespace starling::cli {
namespace {

// Paths are made absolute because ranks may start in another folder.
std::string absolutePath(const std::string& path) {
  if (path.empty()) return path;
  std::error_code fault;
  const std::filesystem::path absolute = std::filesystem::absolute(path, fault);
  return fault ? path : absolute.string();
}

// Returns the variables that starling's own options stand for, "NAME=value".
std::vector<std::string> variablesOf(const LaunchRequest& request, const std::string& global_database) {
  const std::string database = absolutePath(request.database.empty() ? global_database : request.database);
  const std::pair<const char*, std::string> values[] = {{"STARLING_DB=", database},
                                                        {"STARLING_ALGORITHM=", request.algorithm},
                                                        {"STARLING_MODE=", request.mode},
                                                        {"STARLING_VERBOSITY=", request.verbose ? "info" : ""}};
  std::vector<std::string> variables;
  for (const auto& [name, value] : values) {
    if (!value.empty()) variables.push_back(name + value);
  }
  return variables;
}

void applyToEnvironment(const std::vector<std::string>& variables) {
  for (const std::string& variable : variables) {
    const std::size_t equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
  }
}

// Returns what is wrong with the options; empty when all is well.
std::string faultsOfEnvironment() {
  const ParsedOptions parsed = parseEnvironment();
  std::string faults;
  for (const std::string& error : parsed.errors) faults += (faults.empty() ? "" : "; ") + error;
  if (!faults.empty()) faults += " (`starling options` lists what each variable takes)";
  if (parsed.options.algorithm.empty()) return faults;
  const Result<Choice> choice = parseChoice(parsed.options.algorithm);
  if (choice.isOk()) return faults;
  return faults + (faults.empty() ? "" : "; ") + "STARLING_ALGORITHM: " + choice.status().message() +
         " `starling algorithms` tells more of them";
}

bool needsOversubscription(const LaunchRequest& request) {
  if (!request.ranks || request.places_ranks || batchJob(ownEnvironment())) return false;
  const int cores = availableCores();
  if (*request.ranks <= cores) return false;
  tell(fmt::format("{} ranks share {}: adding --oversubscribe, timings will not be those of a real run", *request.ranks,
                   formatCount(cores, "core")));
  return true;
}

void warnRoot(const LaunchRequest& request) {
  const auto& arguments = request.launcher_arguments;
  if (geteuid() != 0 || std::find(arguments.begin(), arguments.end(), "--allow-run-as-root") != arguments.end()) return;
  if (std::getenv("OMPI_ALLOW_RUN_AS_ROOT") != nullptr && std::getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") != nullptr)
    return;
  tell(
      "Open MPI's mpirun refuses to run as root unless OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "are set");
}

Outcome execute(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execv(arguments.front(), arguments.data());
  return Outcome::fault(fmt::format("cannot start {}: {}", command.front(), std::strerror(errno)));
}

using Words = std::vector<std::string>;

Result<Words> commandOfMpirun(const LaunchRequest& request, const RankEnvironment& environment) {
  const auto mpirun = findProgram("mpirun");
  if (!mpirun) {
    return Status::error(std::string("mpirun is not in PATH: install Open MPI or load its module") +
                         (findProgram("srun") ? "; here `starling run --launcher srun` starts ranks without it" : ""));
  }
  warnRoot(request);
  return mpirunCommand(mpirun->string(), request, environment, needsOversubscription(request));
}

Result<Words> commandOfSrun(const LaunchRequest& request, const RankEnvironment& environment) {
  const auto srun = findProgram("srun");
  if (!srun) {
    return Status::error("srun is not in PATH: load the module of Slurm, or leave --launcher srun away for mpirun");
  }
  if (environment.preload.find(',') != std::string::npos) {
    return Status::error(
        fmt::format("srun cannot export an LD_PRELOAD with a comma, as in {}: install the libraries elsewhere",
                    environment.preload));
  }
  return srunCommand(srun->string(), request, environment);
}

// Finds the library that ranks load first, by a path that LD_PRELOAD can hold.
Result<std::string> preloadLibrary() {
  const std::filesystem::path executable = executablePath();
  const auto library = findPreload(executable);
  if (!library) {
    std::string looked;
    for (const auto& candidate : preloadCandidates(executable))
      looked += (looked.empty() ? "" : " and ") + candidate.string();
    return Status::error(fmt::format("the preload library is not at {}: build or install Starling completely", looked));
  }
  if (library->string().find_first_of(" :") != std::string::npos) {
    return Status::error(
        fmt::format("LD_PRELOAD cannot hold a path with a space or a colon, as in {}: install Starling elsewhere",
                    library->string()));
  }
  return library->string();
}

Outcome launch(const Globals& globals) {
  const Result<LaunchRequest> request = parseLaunch(globals.raw_arguments);
  if (!request.isOk()) {
    return Outcome::usage(request.status().message() + " (write `starling run -n 4 -- program arguments`)");
  }
  if (!request.value().has_program) {
    return Outcome::usage("there is no program to run; write `starling run -n 4 -- program arguments`");
  }
  const Words variables = variablesOf(request.value(), globals.database);
  applyToEnvironment(variables);
  const std::string faults = faultsOfEnvironment();
  if (!faults.empty()) return Outcome::usage(faults);
  const Result<std::string> library = preloadLibrary();
  if (!library.isOk()) return Outcome::fault(library.status());
  const RankEnvironment environment = rankEnvironment(ownEnvironment(), library.value());
  const bool by_srun = request.value().launcher == Launcher::kSrun;
  const Result<Words> command =
      by_srun ? commandOfSrun(request.value(), environment) : commandOfMpirun(request.value(), environment);
  if (!command.isOk()) return Outcome::fault(command.status());
  if (!request.value().dry_run) return execute(command.value());
  fmt::print("{}\n", shellLine(variables, command.value()));
  return Outcome::ok();
}

// Returns what the variable takes, as options show it: "off|observe|tune".
std::string valuesOf(std::string_view variable) {
  for (const OptionRow& row : optionTable()) {
    if (row.variable == variable) return fmt::format("{}", fmt::join(valueWords(row.values), "|"));
  }
  return "";
}

}  // namespace

// The options are declared for the help only: parseLaunch() reads them, because mpirun's stand between them.
Action setUpRun(CLI::App& command, const Globals& globals) {
  command.add_option("-n,--np")->description("Number of ranks")->option_text("N");
  command.add_option("--launcher")->description("What starts the ranks (default: mpirun)")->option_text("mpirun|srun");
  command.add_option("--algorithm")
      ->description("Use this algorithm wherever it is valid (STARLING_ALGORITHM)")
      ->option_text("NAME")
      ->check(offering(algorithmNames()));
  command.add_option("--mode")
      ->description("What Starling does (STARLING_MODE)")
      ->option_text(valuesOf("STARLING_MODE"));
  command.add_flag("--verbose")->description("Tell on stderr what Starling does (STARLING_VERBOSITY=info)");
  command.add_flag("--dry-run")->description("Print the command that would be run, for a shell, and do nothing else");
  command.add_option(kProgramArgument)->description("After `--`: the program and its arguments")->option_text("...");
  command.footer(
      "  starling run -n 4 -- ./app input.txt\n"
      "  starling run -n 4 --mca btl tcp,self -- ./app\n"
      "  starling run -n 1 -- ./master : -n 3 ./worker\n"
      "  starling run --launcher srun -N 2 -n 8 -- ./app\n"
      "Options that are not listed here go to the launcher. Without `--`, starling's own options must come first.");
  return [&globals] { return launch(globals); };
}

}  // namespace starling::cli
