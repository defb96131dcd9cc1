// Writes the catalogue as a document, docs/algorithms.md.
#pragma once

#include <string>

#include "algos/catalogue.h"
#include "table.h"

namespace starling::cli {

inline const char* yesOrNo(bool value) { return value ? "yes" : "no"; }

// Lists the row's parameters: their ranges, defaults and meaning.
Table parameterTable(const Algorithm& algorithm);

// Returns a section of Markdown: what the algorithm does, when it wins, what it costs, its parameters, and a drawing of
// a small call in which a rank is late, where it has a schedule.
std::string formatSection(const Algorithm& algorithm);

// Returns all rows as a table of Markdown, how to read the drawings, and a section for each row.
std::string formatDocument();

}  // namespace starling::cli
