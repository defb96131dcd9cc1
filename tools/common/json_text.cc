#include "json_text.h"

#include <algorithm>
#include <string_view>

#include "base/printable.h"

namespace starling::cli {
namespace {

std::string plain(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return printable(value.get_ref<const std::string&>());
  const bool is_list = value.is_array() && std::ranges::none_of(value, &Json::is_structured);
  if (!is_list) return value.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string text;
  for (const Json& element : value) {
    if (!text.empty()) text += ' ';
    text += plain(element);
  }
  return text;
}

// A spreadsheet takes a text that begins so for a formula, which may do anything: in front of a mark it stays a text.
std::string withoutFormula(const Json& value) {
  std::string text = plain(value);
  const bool is_formula =
      value.is_string() && text.size() > 1 && std::string_view("=+-@").find(text.front()) != std::string_view::npos;
  if (is_formula) text.insert(text.begin(), '\'');
  return text;
}

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
  return text;
}

}  // namespace

std::string formatJson(const Json& value) { return value.dump(2, ' ', true, Json::error_handler_t::replace) + "\n"; }

std::string formatCsv(const Json& rows) {
  if (rows.empty()) return "";
  std::string text;
  const auto append = [&text](const auto& object, const auto& cell_of) {
    std::string line;
    bool first = true;
    for (const auto& item : object.items()) {
      if (!first) line += ',';
      line += quoted(cell_of(item));
      first = false;
    }
    text += line;
    text += '\n';
  };
  append(rows.front(), [](const auto& item) { return item.key(); });
  for (const Json& row : rows) append(row, [](const auto& item) { return withoutFormula(item.value()); });
  return text;
}

}  // namespace starling::cli
