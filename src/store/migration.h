// Telling a tuning database from other files, and bringing it to the present schema.
#pragma once

#include <span>

#include "base/status.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace starling {

// Whether the file is a tuning database that this program knows how to read; the file stays as it is, byte for byte.
// Errors: empty, not SQLite, another program's, of a newer or an older schema.
Status requireSchema(const sqlite::Connection& connection, std::span<const char* const> steps = kSchemaSteps);

// Creates the schema in an empty file, or takes the steps that an older one lacks, in one transaction. All other files
// are refused and stay as they are, byte for byte.
Status bringForward(const sqlite::Connection& connection, std::span<const char* const> steps = kSchemaSteps);

}  // namespace starling
