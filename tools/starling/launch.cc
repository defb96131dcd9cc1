#include "launch.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace starling::cli {
namespace {

bool isOneOf(const std::string& text, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool isRankCount(const std::string& text) { return isOneOf(text, {"-n", "--n", "-np", "--np", "-c"}); }

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
    while (next_ < arguments_.size()) {
      if (separated) {
        request_.mpirun_arguments.push_back(arguments_[next_++]);
      } else {
        pass(next_++);
      }
    }
    return request_;
  }

 private:
  void pass(std::size_t index) {
    request_.places_ranks = request_.places_ranks || saysPlacement(arguments_[index]);
    request_.mpirun_arguments.push_back(arguments_[index]);
  }

  // Returns true when the argument was starling's own (or -n) and has been taken.
  Result<bool> takeOwn(std::size_t end) {
    const std::string& argument = arguments_[next_];
    if (argument == "--verbose") {
      request_.verbose = true;
      ++next_;
      return true;
    }
    std::string* const text = fieldOf(argument);
    if (text == nullptr && !isRankCount(argument)) return false;
    if (next_ + 1 >= end) return Status::error(fmt::format("{} has no value", argument));
    const std::string& value = arguments_[next_ + 1];
    next_ += 2;
    if (text != nullptr) {
      *text = value;
      return true;
    }
    return takeRanks(argument, value);
  }

  std::string* fieldOf(const std::string& argument) {
    if (argument == "--db") return &request_.database;
    if (argument == "--algorithm") return &request_.algorithm;
    if (argument == "--mode") return &request_.mode;
    return nullptr;
  }

  Result<bool> takeRanks(const std::string& option, const std::string& value) {
    int ranks = 0;
    const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), ranks);
    if (fault != std::errc() || end != value.data() + value.size() || ranks < 1) {
      return Status::error(fmt::format("{} {} is not a number of ranks: give 1 or more", option, value));
    }
    request_.ranks = ranks;
    request_.mpirun_arguments.insert(request_.mpirun_arguments.end(), {"-n", value});
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

}  // namespace

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
  std::vector<std::string> command{mpirun, "-x", "LD_PRELOAD=" + environment.preload};
  for (const std::string& variable : environment.variables) command.insert(command.end(), {"-x", variable});
  if (oversubscribe) command.emplace_back("--oversubscribe");
  command.insert(command.end(), request.mpirun_arguments.begin(), request.mpirun_arguments.end());
  return command;
}

}  // namespace starling::cli
