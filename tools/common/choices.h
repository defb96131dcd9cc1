// Reads algorithms as users list them on a command line.
#pragma once

#include <string>
#include <vector>

namespace starling::cli {

// Splits "ring,slt:segments=64,window=8": a part with '=' and no ':' belongs to the choice before it.
std::vector<std::string> splitChoices(const std::string& text);
// Splits several such lists, as an option has them that is given several times.
std::vector<std::string> splitChoices(const std::vector<std::string>& texts);

}  // namespace starling::cli
