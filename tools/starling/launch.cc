#include "launch.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "base/printable.h"
#include "command_options.h"

namespace starling::cli {
namespace {

bool isOneOf(const std::string& text, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// For srun, -c is the number of cores of each rank.
bool isRankCount(const std::string& text, Launcher launcher) {
  return isOneOf(text, {"-n", "-np", "--np"}) || (launcher == Launcher::kMpirun && isOneOf(text, {"--n", "-c"}));
}

std::optional<int> rankCount(const std::string& text) {
  int ranks = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), ranks);
  if (fault != std::errc() || end != text.data() + text.size() || ranks < 1) return std::nullopt;
  return ranks;
}

bool saysPlacement(const std::string& text) {
  return isOneOf(text, {"--oversubscribe", "-oversubscribe", "--nooversubscribe", "-nooversubscribe", "--host", "-host",
                        "-H", "--hostfile", "-hostfile", "--machinefile", "-machinefile", "--map-by", "-map-by",
                        "--rankfile", "-rf", "--use-hwthread-cpus", "-use-hwthread-cpus"});
}

// Reads one argument after the other.
class Parser {
 public:
  explicit Parser(std::span<const std::string> arguments) : arguments_(arguments) {}

  Result<LaunchRequest> parse() {
    const auto separator = std::find(arguments_.begin(), arguments_.end(), "--");
    const bool separated = separator != arguments_.end();
    const auto options_end = static_cast<std::size_t>(separator - arguments_.begin());
    const Status launcher = separated ? findLauncher(options_end) : Status::ok();
    if (!launcher.isOk()) return launcher;
    while (next_ < options_end) {
      const Result<bool> taken = takeOwn(options_end);
      if (!taken.isOk()) return taken.status();
      if (taken.value()) continue;
      if (!separated) break;
      pass(next_++);
    }
    if (separated) next_ = options_end + 1;
    request_.has_program = next_ < arguments_.size();
    if (separated && !request_.has_program) return Status::error("there is no program after `--`");
    if (separated && isOwn(optionAt(next_).name)) {
      return Status::error(
          fmt::format("{} stands where the program should: starling's options come before `--`", arguments_[next_]));
    }
    while (next_ < arguments_.size()) {
      if (separated) {
        takeWordOfProgram(next_++);
      } else {
        pass(next_++);
      }
    }
    return request_;
  }

 private:
  // Before `--` the launcher is known before the other options are read, because it says what they mean.
  Status findLauncher(std::size_t end) {
    for (std::size_t index = 0; index < end; ++index) {
      const Option option = optionAt(index);
      if (option.name != "--launcher") continue;
      if (option.value) return takeLauncher(*option.value).status();
      return index + 1 < end ? takeLauncher(arguments_[index + 1]).status() : Status::ok();
    }
    return Status::ok();
  }

  // What is written as --name=value has its value at once.
  struct Option {
    std::string name;
    std::optional<std::string> value{};
  };
  Option optionAt(std::size_t index) {
    const std::string& argument = arguments_[index];
    const std::size_t equals = argument.find('=');
    if (!argument.starts_with("--") || equals == std::string::npos) return {argument};
    return {argument.substr(0, equals), argument.substr(equals + 1)};
  }

  Result<bool> takeLauncher(const std::string& name) {
    if (!isOneOf(name, {"mpirun", "srun"})) {
      return Status::error(fmt::format("--launcher {} is not understood: it is mpirun or srun", name));
    }
    request_.launcher = name == "srun" ? Launcher::kSrun : Launcher::kMpirun;
    return true;
  }

  void pass(std::size_t index) {
    request_.places_ranks = request_.places_ranks || saysPlacement(arguments_[index]);
    takeWordOfProgram(index);
  }

  // A ':' parts programs that run side by side, each of which has its own number of ranks.
  void takeWordOfProgram(std::size_t index) {
    request_.launcher_arguments.push_back(arguments_[index]);
    if (arguments_[index] != ":" || index + 2 >= arguments_.size()) return;
    if (!request_.ranks || !isRankCount(arguments_[index + 1], request_.launcher)) return;
    request_.ranks = *request_.ranks + rankCount(arguments_[index + 2]).value_or(0);
  }

  bool isOwn(const std::string& option) {
    return option == "--launcher" || flagOf(option) != nullptr || fieldOf(option) != nullptr;
  }

  // Returns true when the argument was starling's own (or -n) and has been taken.
  Result<bool> takeOwn(std::size_t end) {
    const Option option = optionAt(next_);
    if (bool* const flag = flagOf(option.name); flag != nullptr && !option.value) {
      *flag = true;
      ++next_;
      return true;
    }
    std::string* const text = fieldOf(option.name);
    const bool is_other =
        isOneOf(option.name, {"--launcher", "--export"}) || isRankCount(option.name, request_.launcher);
    if (text == nullptr && !is_other) return false;
    if (option.value ? option.value->empty() : next_ + 1 >= end) {
      return Status::error(fmt::format("{} has no value", option.name));
    }
    const std::string value = option.value ? *option.value : arguments_[next_ + 1];
    if (text == &request_.database) {
      const std::string fault = faultOfFile(value);
      if (!fault.empty()) return Status::error(fmt::format("{}: {}", option.name, fault));
    }
    if (text == &request_.colour && !isOneOf(value, {"auto", "always", "never"})) {
      return Status::error(fmt::format("{} {} is not understood: it is auto, always or never", option.name, value));
    }
    next_ += option.value ? 1 : 2;
    if (option.name == "--launcher") return takeLauncher(value);
    if (option.name == "--export") return takeExport(value);
    if (text == nullptr) return takeRanks(option.name, value);
    *text = value;
    return true;
  }

  Result<bool> takeExport(const std::string& names) {
    if (request_.launcher != Launcher::kSrun) {
      return Status::error("--export is an option of srun: give --launcher srun, or mpirun's -x NAME");
    }
    request_.exported = names;
    return true;
  }

  bool* flagOf(const std::string& argument) {
    if (argument == "--verbose") return &request_.verbose;
    if (argument == "--dry-run") return &request_.dry_run;
    return nullptr;
  }

  std::string* fieldOf(const std::string& argument) {
    if (argument == "--db") return &request_.database;
    if (argument == "--algorithm") return &request_.algorithm;
    if (argument == "--mode") return &request_.mode;
    if (argument == "--color") return &request_.colour;
    return nullptr;
  }

  Result<bool> takeRanks(const std::string& option, const std::string& value) {
    request_.ranks = rankCount(value);
    if (!request_.ranks) {
      return Status::error(fmt::format("{} {} is not a number of ranks: give 1 or more", option, value));
    }
    request_.launcher_arguments.insert(request_.launcher_arguments.end(), {"-n", value});
    return true;
  }

  std::span<const std::string> arguments_;
  std::size_t next_ = 0;
  LaunchRequest request_;
};

}  // namespace

namespace {

// Recognizes the run-time library of a sanitizer, which must be the first of all or ends the program.
bool isSanitizer(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename();
  return name.starts_with("libasan.") || name.starts_with("libtsan.") || name.starts_with("liblsan.") ||
         name.starts_with("libubsan.") || name.starts_with("libclang_rt.");
}

// Returns a value of LD_PRELOAD with `library` in front of the others, so that no tool among them goes past it to
// PMPI_.
std::string preloadWith(const std::string& library, const std::string& others) {
  std::vector<std::string> libraries = preloadedLibraries(others);
  const auto place = std::find_if_not(libraries.begin(), libraries.end(), isSanitizer);
  libraries.insert(place, library);
  return fmt::format("{}", fmt::join(libraries, ":"));
}

// Appends a launcher's arguments, with the options `exports` before those of each program.
void appendPrograms(std::vector<std::string>& command, const std::vector<std::string>& arguments,
                    const std::vector<std::string>& exports) {
  command.insert(command.end(), exports.begin(), exports.end());
  for (const std::string& argument : arguments) {
    command.push_back(argument);
    if (argument == ":") command.insert(command.end(), exports.begin(), exports.end());
  }
}

// Returns srun's option --export. ALL, which is the default, has Starling's variables in it; a list of names has not,
// and neither has NONE.
std::string srunExport(const std::string& names, const RankEnvironment& environment) {
  const bool has_all = names.empty() || names == "ALL" || names.starts_with("ALL,") || names.ends_with(",ALL");
  std::string list = names == "NONE" ? "" : names.empty() ? "ALL" : names;
  for (const std::string& variable : environment.variables) {
    if (!has_all) list += (list.empty() ? "" : ",") + variable;
  }
  return fmt::format("--export={}{}LD_PRELOAD={}", list, list.empty() ? "" : ",", environment.preload);
}

}  // namespace

namespace {

// Shells read words of these characters alone as they are.
bool isPlain(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-+=./:,@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// Writes bytes that are no printable ASCII as bash, zsh and ksh read them.
std::string escapedForShell(std::string_view word) {
  std::string text = "$'";
  for (const unsigned char c : word) {
    if (c < 0x20 || c > 0x7e)
      text += fmt::format("\\{:03o}", c);
    else
      text += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, static_cast<char>(c));
  }
  return text + "'";
}

std::string shellWord(const std::string& word) {
  if (isPlain(word)) return word;
  return printable(word) == word ? quotedForShell(word) : escapedForShell(word);
}

}  // namespace

std::string shellLine(std::span<const std::string> variables, std::span<const std::string> command) {
  std::string line;
  for (const std::string& variable : variables) {
    const std::size_t value = variable.find('=') + 1;
    line += variable.substr(0, value) + (value < variable.size() ? shellWord(variable.substr(value)) : "") + " ";
  }
  for (const std::string& word : command) line += (&word == &command.front() ? "" : " ") + shellWord(word);
  return line;
}

std::vector<std::string> preloadedLibraries(const std::string& value) {
  std::vector<std::string> libraries;
  std::size_t start = 0;
  while (start < value.size()) {
    const std::size_t end = std::min(value.find_first_of(": ", start), value.size());
    if (end > start) libraries.push_back(value.substr(start, end - start));
    start = end + 1;
  }
  return libraries;
}

Result<LaunchRequest> parseLaunch(std::span<const std::string> arguments) { return Parser(arguments).parse(); }

RankEnvironment rankEnvironment(std::span<const std::string> environment, const std::string& library) {
  static const std::string kPreload = "LD_PRELOAD=";
  RankEnvironment result{library, {}};
  for (const std::string& entry : environment) {
    if (entry.starts_with("STARLING_")) result.variables.push_back(entry.substr(0, entry.find('=')));
    if (entry.starts_with(kPreload)) result.preload = preloadWith(library, entry.substr(kPreload.size()));
  }
  std::sort(result.variables.begin(), result.variables.end());
  return result;
}

std::vector<std::string> mpirunCommand(const std::string& mpirun, const LaunchRequest& request,
                                       const RankEnvironment& environment, bool oversubscribe) {
  std::vector<std::string> exports{"-x", "LD_PRELOAD=" + environment.preload};
  for (const std::string& variable : environment.variables) exports.insert(exports.end(), {"-x", variable});
  std::vector<std::string> command{mpirun};
  if (oversubscribe) command.emplace_back("--oversubscribe");
  appendPrograms(command, request.launcher_arguments, exports);
  return command;
}

std::vector<std::string> srunCommand(const std::string& srun, const LaunchRequest& request,
                                     const RankEnvironment& environment) {
  std::vector<std::string> command{srun};
  appendPrograms(command, request.launcher_arguments, {srunExport(request.exported, environment)});
  return command;
}

}  // namespace starling::cli
