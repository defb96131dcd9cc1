// Writes manual pages, in the language of man(7).
#pragma once

#include <string>
#include <string_view>

#include "command_tree.h"

namespace starling::cli {

// Returns starling(1), with the commands, the environment variables, the files and the exit status.
std::string manualOf(const CommandTree& tree);
// Returns starling-<command>(1).
std::string manualOf(const CommandTree& tree, const CommandNode& command);

}  // namespace starling::cli
