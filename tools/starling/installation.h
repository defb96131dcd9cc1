// Where the parts that a run needs are.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace starling::cli {

// Path of this executable; empty when the system does not tell.
std::filesystem::path executablePath();

// Where libstarling_preload.so may be for an executable in bin/: the build tree and an installation look alike.
std::vector<std::filesystem::path> preloadCandidates(const std::filesystem::path& executable);

// The first candidate that exists.
std::optional<std::filesystem::path> findPreload(const std::filesystem::path& executable);

// The first executable file called `name` in `search_path` (folders with ':' between them).
std::optional<std::filesystem::path> findProgram(const std::string& name, const std::string& search_path);

// findProgram() in this process's PATH.
std::optional<std::filesystem::path> findProgram(const std::string& name);

// Cores that this process may run on; hardware threads of one core count once, as mpirun counts its slots. At least 1.
int availableCores();

}  // namespace starling::cli
