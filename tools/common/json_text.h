// JSON as it is printed, and as comma-separated values.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace starling::cli {

// Keeps the order in which fields were set.
using Json = nlohmann::ordered_json;

// Two blanks of indentation, a line end at the end; bytes that are not UTF-8 are replaced.
std::string formatJson(const Json& value);

// RFC 4180, titles first. REQUIRES: an array of objects that all have the keys of the first; an inner array is printed
// with blanks between its elements, null as nothing.
std::string formatCsv(const Json& rows);

// null when there is no value.
template <typename Value>
Json optionalJson(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace starling::cli
