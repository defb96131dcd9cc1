// Tells builds of Starling apart.
#pragma once

#include <cstdint>

namespace starling {

// Returns a number that differs wherever a source file of Starling does: what ranks send each other, and how they read
// it, may be another thing there. THREADS: any.
std::uint64_t buildIdentity();

}  // namespace starling
