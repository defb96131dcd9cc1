// Checks what the kinds of fields do not tell.
#pragma once

#include <string>

#include "base/status.h"
#include "store/records.h"

namespace starling {

// Checks that the policy's values make sense. An error reads "<where>.size_class: is 63; expected ...".
Status checkPolicy(const PolicyRecord& policy, const std::string& where);

// These refuse what no run finds, since it looks for texts and numbers that are equal to its own: an environment that
// no run is in, a name that no program has, and a site that is neither in a form in which runs name sites nor "any".
// Errors likewise.
Status checkEnvironment(const Environment& environment, const std::string& where);
Status checkProgram(const std::string& program, const std::string& where);
Status checkSiteIdentity(const std::string& identity, const std::string& where);

// Of a longer label its beginning is known, with a number that tells it from others.
inline constexpr std::size_t kLongestLabel = 1024;  // bytes

// Refuses a gain that is no ratio of times, and more ranks than communicators have. Rows of a database may have these,
// as documents could. Errors likewise.
Status checkFigures(const PolicyRecord& policy, const std::string& where);

// Refuses ranks that come before the first one: runs pass over a policy that has these. Rows of a database may have
// them, as documents could. Errors likewise.
Status checkLateness(const PolicyRecord& policy, const std::string& where);

}  // namespace starling
