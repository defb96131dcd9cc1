// Runs other programs and takes what they say.
#pragma once

#include <string>

namespace starling::cli {

// Returns what a shell command writes to stdout; empty when it cannot be started.
std::string outputOf(const std::string& command);

}  // namespace starling::cli
