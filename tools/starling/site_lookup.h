// Finds the site that the user means.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"
#include "recording.h"

namespace starling::cli {

// Returns the number of the site that `text` means: a site number, else a label or identity, else a symbol or the name
// that `starling sites` shows, else a part of one of these. Errors: none matches, then the message has the nearest;
// more than one matches, then it lists them.
Result<std::int64_t> findSite(std::span<const RecordedKey> keys, const std::string& text);

}  // namespace starling::cli
