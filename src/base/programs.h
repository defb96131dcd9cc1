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
// first of the other arguments that is a file; or the module that python is told to run by -m, but where that is
// followed by a .py file; none where the program's text is an argument (-c, -e). Names have no folders.
std::vector<std::string> programNames(const std::string& executable, std::span<const std::string> arguments);

// Returns those of this process.
std::vector<std::string> ownProgramNames();

// Returns the name of these by which the program is known in the database: that of the script, where there is one,
// since an interpreter runs many; else that of the executable. REQUIRES: they are from programNames().
const std::string& programNameOf(const std::vector<std::string>& names);

// Returns that of this process.
std::string ownProgramName();

// Returns which option leaves out a program with these names, as "STARLING_NOT_PROGRAMS=make_*"; nullopt: none does.
std::optional<std::string> leavesOut(const Options& options, std::span<const std::string> names);

}  // namespace starling
