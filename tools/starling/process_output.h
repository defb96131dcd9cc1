// Runs other programs and takes what they say.
#pragma once

#include <string>

namespace starling::cli {

// Quotes the text so that it is one word for a shell.
std::string quotedForShell(const std::string& text);

// Returns what a shell command writes to stdout; empty when it cannot be started.
std::string outputOf(const std::string& command);

}  // namespace starling::cli
