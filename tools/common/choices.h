// Algorithms as users list them on a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace starling::cli {

// Splits "ring,slt:segments=64,window=8": a part with '=' and no ':' belongs to the choice before it.
std::vector<std::string> splitChoices(const std::string& text);

// The user gave the time of a step, so that it is not to be taken from the model.
bool namesStepTime(std::string_view choice);

}  // namespace starling::cli
