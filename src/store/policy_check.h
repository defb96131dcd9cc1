// Checks what the kinds of a policy's fields do not tell.
#pragma once

#include <string>

#include "base/status.h"
#include "store/records.h"

namespace starling {

// Checks that the policy's values make sense. An error reads "<where>.size_class: is 63; expected ...".
Status checkPolicy(const PolicyRecord& policy, const std::string& where);

}  // namespace starling
