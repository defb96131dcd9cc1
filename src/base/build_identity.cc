#include "base/build_identity.h"

#include <source_hash.h>

namespace starling {

std::uint64_t buildIdentity() { return STARLING_SOURCE_HASH; }

}  // namespace starling
