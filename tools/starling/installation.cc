#include "installation.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

namespace starling::cli {
std::filesystem::path executablePath() {
  std::error_code fault;
  return std::filesystem::read_symlink("/proc/self/exe", fault);
}

std::vector<std::filesystem::path> preloadCandidates(const std::filesystem::path& executable) {
  const std::filesystem::path root = executable.parent_path().parent_path();
  std::vector<std::filesystem::path> candidates{root / "lib" / kPreloadName};
  const std::filesystem::path installed = root / STARLING_LIBRARY_FOLDER / kPreloadName;
  if (installed != candidates.front()) candidates.push_back(installed);
  return candidates;
}

std::optional<std::filesystem::path> findPreload(const std::filesystem::path& executable) {
  for (const std::filesystem::path& candidate : preloadCandidates(executable)) {
    std::error_code fault;
    if (std::filesystem::exists(candidate, fault)) return candidate;
  }
  return std::nullopt;
}

std::optional<std::filesystem::path> findProgram(const std::string& name, const std::string& search_path) {
  std::size_t start = 0;
  while (start <= search_path.size()) {
    const std::size_t colon = std::min(search_path.find(':', start), search_path.size());
    const std::string folder = search_path.substr(start, colon - start);
    start = colon + 1;
    if (folder.empty()) continue;
    const std::filesystem::path candidate = std::filesystem::path(folder) / name;
    std::error_code fault;
    if (std::filesystem::is_regular_file(candidate, fault) && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

std::optional<std::filesystem::path> findProgram(const std::string& name) {
  const char* search_path = std::getenv("PATH");
  return search_path == nullptr ? std::nullopt : findProgram(name, search_path);
}

int availableCores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return 1;
  std::set<std::string> cores;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (!CPU_ISSET(i, &allowed)) continue;
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", i));
    std::string siblings;
    // Where the system does not tell, each hardware thread counts as a core.
    cores.insert(std::getline(file, siblings) ? siblings : fmt::format("cpu{}", i));
  }
  return std::max(1, static_cast<int>(cores.size()));
}

}  // namespace starling::cli
