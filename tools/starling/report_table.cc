#include "report_table.h"

#include <utility>

#include "base/printable.h"
#include "base/text_format.h"

namespace starling::cli {

Json textCell(const std::string& text) { return printable(text); }

Json figureCell(const std::string& text, Json value) { return Json::array({text, std::move(value)}); }

Json countCell(std::int64_t count) { return figureCell(std::to_string(count), count); }

Json durationCell(const std::optional<double>& seconds) {
  return figureCell(formatDuration(seconds), optionalJson(seconds));
}

Json ratioCell(const std::optional<double>& ratio) { return figureCell(formatRatio(ratio), optionalJson(ratio)); }

ReportTable::ReportTable(const std::string& caption, const std::vector<Column>& columns) {
  json_["caption"] = caption;
  json_["columns"] = Json::array();
  for (const Column& column : columns) {
    json_["columns"].push_back({{"title", column.title}, {"right", column.align == Align::kRight}});
  }
  json_["rows"] = Json::array();
}

void ReportTable::addRow(std::vector<Json> cells) { json_["rows"].push_back(std::move(cells)); }

}  // namespace starling::cli
