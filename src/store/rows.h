// What the writer's and the reader's side of the database share: lists as text, and the policies' table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "store/records.h"
#include "store/sqlite.h"

namespace starling {

// "[2,0,1]": lists are stored as JSON text.
std::string formatList(const std::vector<std::int32_t>& list);
std::string formatList(const std::vector<std::int64_t>& list);

// The inverse; false when the text is no list of whole numbers that fit.
bool parseList(const std::string& text, std::vector<std::int32_t>& list);
bool parseList(const std::string& text, std::vector<std::int64_t>& list);

// The policies of one environment's number and program; those of the site "any" come last.
Result<std::vector<PolicyRecord>> selectPolicies(const sqlite::Connection& connection, std::int64_t environment,
                                                 const std::string& program);

}  // namespace starling
