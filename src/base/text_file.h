// Reads a file that a user has named.
#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"

namespace starling {

// Files that are longer are none that somebody has written or exported.
inline constexpr std::size_t kMostTextBytes = std::size_t{16} << 20;

// Returns the text of a plain file; a pipe or a device, which may never end, is none. Errors: what keeps it from being
// read, as the end of a sentence about it: "is a folder". THREADS: any.
Result<std::string> readTextFile(const std::string& path, std::size_t most_bytes = kMostTextBytes);

}  // namespace starling
