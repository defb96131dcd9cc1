// A table of a report, as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json_text.h"
#include "table.h"

namespace starling::cli {

// Text of any origin becomes printable(), as everywhere.
Json textCell(const std::string& text);
// Returns [text, value]: what the other commands print, and the figure. Durations are in seconds.
Json figureCell(const std::string& text, Json value);
Json countCell(std::int64_t count);
Json durationCell(const std::optional<double>& seconds);
Json ratioCell(const std::optional<double>& ratio);

// THREADS: as a value.
class ReportTable {
 public:
  ReportTable(const std::string& caption, const std::vector<Column>& columns);

  // REQUIRES: as many cells as columns.
  void addRow(std::vector<Json> cells);
  // Returns {"caption", "columns": [{"title", "right"}], "rows": [[cell]]}; a cell is a text, or a figure as above.
  const Json& json() const { return json_; }

 private:
  Json json_;
};

}  // namespace starling::cli
