// Tells which programs the preload library is for: STARLING_PROGRAMS and STARLING_NOT_PROGRAMS.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/options.h"

namespace starling {

// Returns the names that a program is known by: those of its executable and of its first argument, by which it was
// called, which may be a link; and, where the executable is an interpreter such as python, that of the script: the
// first of the other arguments that is a file. Names have no folders.
std::vector<std::string> programNames(const std::string& executable, std::span<const std::string> arguments);

// Returns those of this process.
std::vector<std::string> ownProgramNames();

// Returns which option leaves out a program with these names, as "STARLING_NOT_PROGRAMS=make_*"; nullopt: none does.
std::optional<std::string> leavesOut(const Options& options, std::span<const std::string> names);

}  // namespace starling
