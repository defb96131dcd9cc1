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

bool isFile(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// Modules such as mpi4py run the script that is given to them; other files are a module's data.
std::string scriptOfModule(std::span<const std::string> module_and_rest) {
  const auto is_script = [](const std::string& one) { return one.ends_with(".py") && isFile(one); };
  const auto rest = module_and_rest.subspan(1);
  const auto script = std::find_if(rest.begin(), rest.end(), is_script);
  return nameOf(script == rest.end() ? module_and_rest.front() : *script);
}

std::optional<std::string> scriptAmong(std::span<const std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    // What follows the program's text, given in place of a script, is data.
    if (argument == "-c" || argument == "-e") return std::nullopt;
    if (argument == "-m" && i + 1 < arguments.size()) return scriptOfModule(arguments.subspan(i + 1));
    if (isFile(argument)) return nameOf(argument);
  }
  return std::nullopt;
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
