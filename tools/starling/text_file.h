// Writes text where the user wants it.
#pragma once

#include <string>

#include "outcome.h"

namespace starling::cli {

// Writes to the file, or to the standard output where the path is empty.
Outcome writeText(const std::string& text, const std::string& path);

}  // namespace starling::cli
