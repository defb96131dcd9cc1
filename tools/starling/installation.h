// Finds the parts that a run needs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace starling::cli {

// The library that wraps MPI has this file name.
inline constexpr const char* kPreloadName = "libstarling_preload.so";

// Returns the path of this executable; empty when the system does not tell.
std::filesystem::path executablePath();

// Returns where libstarling_preload.so may be for an executable in bin/: the build tree and an installation look alike.
std::vector<std::filesystem::path> preloadCandidates(const std::filesystem::path& executable);

// Returns the first candidate that exists.
std::optional<std::filesystem::path> findPreload(const std::filesystem::path& executable);

// Returns the first executable file called `name` in `search_path` (folders with ':' between them).
std::optional<std::filesystem::path> findProgram(const std::string& name, const std::string& search_path);

// Returns the first one in this process's PATH.
std::optional<std::filesystem::path> findProgram(const std::string& name);

// Returns the cores that this process may run on, at least 1; hardware threads of one core count once, as mpirun counts
// its slots.
int availableCores();

}  // namespace starling::cli
