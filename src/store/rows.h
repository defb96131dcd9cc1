// Holds what the writer's and the reader's side of the database share: lists as text, and the policies' table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "store/records.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace starling {

// Writes lists as JSON text, in which they are stored: "[2,0,1]".
std::string formatList(const std::vector<std::int32_t>& list);
std::string formatList(const std::vector<std::int64_t>& list);

// Reads such a list; returns false when the text is no list of whole numbers that fit.
bool parseList(const std::string& text, std::vector<std::int32_t>& list);
bool parseList(const std::string& text, std::vector<std::int64_t>& list);

// Returns the policies of one environment's number and program, in a file of that many schema steps; those of the site
// "any" come last. A row that checkPolicy() refuses is left out, and one warning names the first such row.
Result<std::vector<PolicyRecord>> selectPolicies(const sqlite::Connection& connection, std::int64_t environment,
                                                 const std::string& program, std::size_t steps = kSchemaSteps.size());

}  // namespace starling
