// Says how large elements are, by the names that the database has for their types.
#pragma once

#include <string_view>

#include "base/status.h"
#include "base/units.h"

namespace starling::cli {

// Errors: any other than whole and real numbers, of one to eight bytes; the message lists these.
Result<Bytes> parseElementType(std::string_view name);

}  // namespace starling::cli
