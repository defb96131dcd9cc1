// Explains why a key uses what it uses, in sentences with the figures that the decision rests on.
#pragma once

#include <string>
#include <vector>

#include "recording.h"

namespace starling::cli {

// Tells how often the key is called, who comes late, what was tried and what it cost, why the choice was made, whether
// it is settled, and what would change it. Everything is taken from stored records.
std::vector<std::string> explain(const Evidence& evidence);

// Returns whether the key's choice is settled, or the key is not tuned at all.
bool isConverged(const KeyRecord& key);

}  // namespace starling::cli
