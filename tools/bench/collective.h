// The collective operations that can be measured.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace starling::bench {

enum class Collective : std::uint8_t { kAllreduce, kBcast, kReduce };

// The root of broadcasts and reductions. The rank that is late by default is the next one, 1, which receives first in
// the broadcast trees of most libraries.
inline constexpr int kRoot = 0;

// Understands "allreduce", "bcast" and "reduce".
Result<Collective> parseCollective(std::string_view text);
const char* collectiveName(Collective collective);

}  // namespace starling::bench
