// Cuts a block into nearly equal parts, the same way on every rank.
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedule/schedule.h"

namespace starling {

// Returns part `index` of `parts`. Sizes differ by at most one element, and the longer parts come first; where there
// are more parts than elements, the last parts are empty. REQUIRES: 0 <= index < parts.
inline Block partOf(const Block& whole, std::int64_t parts, std::int64_t index) {
  const std::int64_t shortest = whole.count / parts;
  const std::int64_t longer = whole.count % parts;
  return {whole.offset + index * shortest + std::min(index, longer), shortest + (index < longer ? 1 : 0)};
}

}  // namespace starling
