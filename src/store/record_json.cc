#include "store/record_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "store/list_runs.h"
#include "store/record_fields.h"

namespace starling {

std::string kindOf(const Json& json) {
  if (json.is_number_float()) return "a fraction";
  if (json.is_number()) return "a whole number";
  if (json.is_string()) return "a text";
  if (json.is_array()) return "a list";
  if (json.is_object()) return "an object";
  if (json.is_boolean()) return json.get<bool>() ? "true" : "false";
  return json.is_null() ? "null" : "binary";
}
namespace {

template <typename Value>
Json write(const Value& value) {
  if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>) {
    return value;
  } else if constexpr (kIsOptional<Value>) {
    return value ? write(*value) : Json();
  } else if constexpr (kIsList<Value>) {
    Json array = Json::array();
    for (const auto& item : value) array.push_back(write(item));
    return array;
  } else {
    Json object = Json::object();
    forEachField(value, [&object](const auto& field) { object[field.name] = write(field.value); });
    return object;
  }
}

Status mismatch(const Json& json, const std::string& where, std::string_view expected) {
  return Status::error(fmt::format("{}: is {}; expected {}", where, kindOf(json), expected));
}

template <typename Value>
Status read(const Json& json, const std::string& where, Value& value);

template <std::integral Value>
Status readInteger(const Json& json, const std::string& where, Value& value) {
  if (!json.is_number_integer()) return mismatch(json, where, "a whole number");
  const bool fits = json.is_number_unsigned() ? std::in_range<Value>(json.get<std::uint64_t>())
                                              : std::in_range<Value>(json.get<std::int64_t>());
  if (!fits) {
    return Status::error(fmt::format("{}: is {}; expected a whole number from {} to {}", where, json.dump(),
                                     std::numeric_limits<Value>::min(), std::numeric_limits<Value>::max()));
  }
  value = json.get<Value>();
  return Status::ok();
}

template <typename Value>
Status readOptional(const Json& json, const std::string& where, std::optional<Value>& value) {
  if (json.is_null()) {
    value.reset();
    return Status::ok();
  }
  return read(json, where, value.emplace());
}

template <typename Value>
Status readList(const Json& json, const std::string& where, std::vector<Value>& values) {
  if (!json.is_array()) return mismatch(json, where, "a list");
  values.assign(json.size(), Value{});
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (Status item = read(json[i], fmt::format("{}[{}]", where, i), values[i]); !item.isOk()) return item;
  }
  return Status::ok();
}

// Many entries in a row may be one text.
template <std::integral Value>
Status readIntegers(const Json& json, const std::string& where, std::vector<Value>& values) {
  if (!json.is_array()) return mismatch(json, where, "a list");
  values.clear();
  ListBuilder<Value> builder(values);
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i].is_string()) {
      if (builder.addRun(json[i].get_ref<const std::string&>())) continue;
      return Status::error(
          fmt::format("{}[{}]: is a text; expected a whole number, or many in a row as \"0-99\" (0 to 99) or \"9*7\" "
                      "(nine times 7)",
                      where, i));
    }
    Value value{};
    if (Status item = readInteger(json[i], fmt::format("{}[{}]", where, i), value); !item.isOk()) return item;
    builder.add(value);
  }
  return Status::ok();
}

template <typename Record>
Status readRecord(const Json& json, const std::string& where, Record& record) {
  if (!json.is_object()) return mismatch(json, where, "an object");
  Status status = Status::ok();
  std::vector<std::string_view> names;
  forEachField(record, [&](const auto& field) {
    names.emplace_back(field.name);
    if (!status.isOk()) return;
    const auto found = json.find(field.name);
    if (found != json.end()) {
      status = read(*found, fmt::format("{}.{}", where, field.name), field.value);
    } else if (field.presence == Presence::kRequired) {
      status = Status::error(fmt::format("{}.{}: is missing; this field is needed", where, field.name));
    }
  });
  if (!status.isOk()) return status;
  for (const auto& item : json.items()) {
    if (std::find(names.begin(), names.end(), item.key()) == names.end()) {
      return Status::error(
          fmt::format("{}.{}: is no known field; expected one of {}", where, item.key(), fmt::join(names, ", ")));
    }
  }
  return Status::ok();
}

template <typename Value>
Status read(const Json& json, const std::string& where, Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    if (!json.is_boolean()) return mismatch(json, where, "true or false");
    value = json.get<bool>();
  } else if constexpr (std::is_integral_v<Value>) {
    return readInteger(json, where, value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    if (!json.is_number()) return mismatch(json, where, "a number");
    value = json.get<Value>();
  } else if constexpr (std::is_same_v<Value, std::string>) {
    if (!json.is_string()) return mismatch(json, where, "a text");
    value = json.get<std::string>();
  } else if constexpr (kIsOptional<Value>) {
    return readOptional(json, where, value);
  } else if constexpr (kIsIntegerList<Value>) {
    return readIntegers(json, where, value);
  } else if constexpr (kIsList<Value>) {
    return readList(json, where, value);
  } else {
    return readRecord(json, where, value);
  }
  return Status::ok();
}

}  // namespace

Json toJson(const Environment& environment) { return write(environment); }
Json toJson(const PolicyRecord& policy) { return write(policy); }
Json toJson(const std::vector<PolicyRecord>& policies) { return write(policies); }
Json toJson(const Batch& batch) { return write(batch); }

Status fromJson(const Json& json, const std::string& where, Environment& environment) {
  return read(json, where, environment);
}
Status fromJson(const Json& json, const std::string& where, std::vector<PolicyRecord>& policies) {
  return read(json, where, policies);
}
Status fromJson(const Json& json, const std::string& where, Batch& batch) { return read(json, where, batch); }

}  // namespace starling
