// Holds what the writer's and the reader's side of the database share: lists as text, the policies' table, and how the
// keys of a run are selected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "store/records.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "store/stored_run.h"

namespace starling {

// Writes lists as JSON text, in which they are stored: "[2,0,1]". Many entries in a row are one string in it, as
// list_runs.h has them.
std::string formatList(const std::vector<std::int32_t>& list);
std::string formatList(const std::vector<std::int64_t>& list);

// Reads such a list; returns false when the text is no list of whole numbers that fit, or its strings stand for too
// many of them.
bool parseList(std::string_view text, std::vector<std::int32_t>& list);
bool parseList(std::string_view text, std::vector<std::int64_t>& list);

// Returns the error that a column of a row holds a number too large, or no list, as readRow() finds it.
Status damagedRow(const sqlite::Connection& connection, const char* table, const char* column, std::int64_t number);

// Returns the number of an environment's row, none of which is ever removed; 0: there is none.
Result<std::int64_t> environmentNumber(const sqlite::Connection& connection, const Environment& environment);

enum class PolicyOrder { kBySite, kNewestFirst };

// Returns the policies of one environment's number and program, in a file of that many schema steps; those of the site
// "any" come last. The newest are those of the run that began last; those of no run are the oldest. A row that
// checkPolicy() refuses is left out, and one warning names the first such row.
Result<std::vector<PolicyRecord>> selectPolicies(const sqlite::Connection& connection, std::int64_t environment,
                                                 const std::string& program, PolicyOrder order,
                                                 std::size_t steps = kSchemaSteps.size());

// Returns the calls of each key of a run. Errors: a row is damaged.
Result<CallsOfKeys> selectCallsOfKeys(const sqlite::Connection& connection, std::int64_t run,
                                      std::size_t steps = kSchemaSteps.size());

// Returns "(SELECT ...)" of how many calls the run that learned a row of `policies` made that this is for; 0: none, or
// it was pruned.
std::string selectionOfCallsForPolicy();

// Return "SELECT keys.number ..." of the keys of run ?1, or of those of them that belong to these sites.
std::string selectionOfKeys();
std::string selectionOfKeys(std::span<const std::int64_t> sites);

}  // namespace starling
