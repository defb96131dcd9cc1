// Tells a tuning database from other files, and brings it to the present schema.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/status.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace starling {

// Returns how many steps the schema of a tuning database has gone through, which is at least one; the file stays as it
// is, byte for byte. Errors: empty, not SQLite, another program's, of more steps than this program knows, with
// columns that are computed.
Result<std::size_t> schemaSteps(const sqlite::Connection& connection,
                                std::span<const char* const> steps = kSchemaSteps);

// Creates the schema in an empty file, or takes the steps that an older one lacks, in one transaction. All other files
// are refused and stay as they are, byte for byte. The connection's foreign keys may be off afterwards.
Status bringForward(const sqlite::Connection& connection, std::span<const char* const> steps = kSchemaSteps);

// Opens a file to read and write it, brings it forward, and settles how it is written: by short transactions with a
// rollback journal, since WAL does not work on network file systems. Pages that rows leave free are taken by later
// rows, so that a file whose history is thinned stays at its size; it shrinks by VACUUM alone (`starling prune`).
// auto_vacuum would do that in each transaction, by moving pages under the lock, and could only be turned on by a
// VACUUM.
Result<sqlite::Connection> openForward(const std::string& path, Seconds patience);

}  // namespace starling
