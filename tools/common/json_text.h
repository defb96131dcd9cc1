// Prints JSON, as such and as comma-separated values.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace starling::cli {

// A JSON value that keeps the order in which fields were set.
using Json = nlohmann::ordered_json;

// Two blanks of indentation, a line end at the end; bytes that are not UTF-8 are replaced. What is not ASCII is
// escaped: a terminal may obey controls of the other alphabets too.
std::string formatJson(const Json& value);

// RFC 4180 with the line ends of Unix, titles first, texts printable(). REQUIRES: an array of objects that all have the
// keys of the first. An inner array is printed with blanks between its elements, one of objects as JSON, null as
// nothing.
std::string formatCsv(const Json& rows);

// Returns the value, or JSON's null when there is none.
template <typename Value>
Json optionalJson(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace starling::cli
