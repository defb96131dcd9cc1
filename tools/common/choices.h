// Reads algorithms as users list them on a command line.
#pragma once

#include <string>
#include <vector>

namespace starling::cli {

// Splits "ring,slt:segments=64,window=8": a part with '=' and no ':' belongs to the choice before it.
std::vector<std::string> splitChoices(const std::string& text);

}  // namespace starling::cli
