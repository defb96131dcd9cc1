#include "base/programs.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace starling {
namespace {

std::string nameOf(const std::string& path) { return std::filesystem::path(path).filename().string(); }

bool isInterpreter(const std::string& name) {
  static constexpr const char* kNames[] = {"python", "pypy", "julia", "perl", "ruby", "lua", "octave", "Rscript"};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](const char* each) { return name.starts_with(each); });
}

std::optional<std::string> scriptAmong(std::span<const std::string> arguments) {
  std::error_code ignored;
  const auto script = std::find_if(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    return std::filesystem::is_regular_file(argument, ignored);
  });
  if (script != arguments.end()) return nameOf(*script);
  const auto option = std::find(arguments.begin(), arguments.end(), "-m");
  if (option == arguments.end() || option + 1 == arguments.end()) return std::nullopt;
  return nameOf(*(option + 1));
}

// Both ':' and ',' part the patterns.
bool anyMatches(const std::string& patterns, std::span<const std::string> names) {
  for (std::size_t start = 0; start < patterns.size();) {
    const std::size_t end = std::min(patterns.find_first_of(":,", start), patterns.size());
    const std::string pattern = patterns.substr(start, end - start);
    start = end + 1;
    const auto matches = [&](const std::string& name) { return fnmatch(pattern.c_str(), name.c_str(), 0) == 0; };
    if (std::any_of(names.begin(), names.end(), matches)) return true;
  }
  return false;
}

std::vector<std::string> ownArguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

}  // namespace

std::vector<std::string> programNames(const std::string& executable, std::span<const std::string> arguments) {
  std::vector<std::string> names{nameOf(executable)};
  if (arguments.empty()) return names;
  names.push_back(nameOf(arguments.front()));
  if (!isInterpreter(names.front())) return names;
  if (std::optional<std::string> script = scriptAmong(arguments.subspan(1))) names.push_back(std::move(*script));
  return names;
}

std::vector<std::string> ownProgramNames() {
  std::error_code ignored;
  return programNames(std::filesystem::read_symlink("/proc/self/exe", ignored).string(), ownArguments());
}

const std::string& programNameOf(const std::vector<std::string>& names) {
  constexpr std::size_t kScript = 2;
  return names.size() > kScript ? names[kScript] : names.front();
}

std::string ownProgramName() { return programNameOf(ownProgramNames()); }

std::optional<std::string> leavesOut(const Options& options, std::span<const std::string> names) {
  if (!options.programs.empty() && !anyMatches(options.programs, names)) return "STARLING_PROGRAMS=" + options.programs;
  if (anyMatches(options.not_programs, names)) return "STARLING_NOT_PROGRAMS=" + options.not_programs;
  return std::nullopt;
}

}  // namespace starling
