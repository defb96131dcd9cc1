// Writes text where the user wants it.
#pragma once

#include <string>

#include "outcome.h"

namespace starling::cli {

// Returns whether an option for a file means the standard output: it is "-", /dev/stdout, or was not given.
bool isStandardOutput(const std::string& path);

// Writes to the file, or to the standard output. A file that is there is replaced when all has been written, so that it
// stays as it is where that fails; links to it stay links, and it keeps owner and permissions. It is written in place,
// and lost where that fails, if it cannot be replaced so: it has several names (hard links), is mounted by itself, as
// containers do it, or lies where this process may make no file like it. A database is not replaced. What is no plain
// file, as a pipe, is written to.
Outcome writeText(const std::string& text, const std::string& path);

}  // namespace starling::cli
