// Tells a tuning database from other files, and brings it to the present schema.
#pragma once

#include <cstddef>
#include <span>

#include "base/status.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace starling {

// Returns how many steps the schema of a tuning database has gone through, which is at least one; the file stays as it
// is, byte for byte. Errors: empty, not SQLite, another program's, of more steps than this program knows.
Result<std::size_t> schemaSteps(const sqlite::Connection& connection,
                                std::span<const char* const> steps = kSchemaSteps);

// Creates the schema in an empty file, or takes the steps that an older one lacks, in one transaction. All other files
// are refused and stay as they are, byte for byte. The connection's foreign keys may be off afterwards.
Status bringForward(const sqlite::Connection& connection, std::span<const char* const> steps = kSchemaSteps);

}  // namespace starling
