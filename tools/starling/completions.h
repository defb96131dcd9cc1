// Writes what shells complete of `starling`'s command line.
#pragma once

#include <string>

#include "command_tree.h"

namespace starling::cli {

// Scripts for bash-completion's folder completions, zsh's site-functions and fish's vendor_completions.d.
std::string completionsForBash(const CommandTree& tree);
std::string completionsForZsh(const CommandTree& tree);
std::string completionsForFish(const CommandTree& tree);

}  // namespace starling::cli
