// Reads a late rank as users write it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "base/units.h"

namespace starling::cli {

struct LateRank {
  std::int32_t rank = 0;
  Seconds lateness;
};

// Reads "RANK:DURATION", as in "3:50ms".
Result<LateRank> parseLateRank(std::string_view text);

}  // namespace starling::cli
