// Which collective operation is measured.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace starling::bench {

enum class Collective : std::uint8_t { kAllreduce, kBcast, kReduce };

// Of broadcasts and reductions: the rank next to it, 1, receives first in the broadcast trees of most libraries.
inline constexpr int kRoot = 0;

// "allreduce", "bcast", "reduce".
Result<Collective> parseCollective(std::string_view text);
const char* collectiveName(Collective collective);

}  // namespace starling::bench
