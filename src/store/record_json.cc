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

namespace starling {
namespace {

template <typename Record, typename Wanted>
concept Is = std::same_as<std::remove_const_t<Record>, Wanted>;

// Whether a field may be left out of what is read; it then keeps its default.
enum class Presence { kRequired, kOptional };
constexpr Presence kRequired = Presence::kRequired;
constexpr Presence kOptional = Presence::kOptional;

// The one list of each record's fields: `visit(name, field, presence)` is called for all of them, in this order.
template <Is<Environment> Record, typename Visit>
void forEachField(Record& record, Visit visit) {
  visit("ranks", record.ranks, kRequired);
  visit("nodes", record.nodes, kRequired);
  visit("ranks_per_node", record.ranks_per_node, kRequired);
  visit("processor", record.processor, kRequired);
  visit("mpi_version", record.mpi_version, kRequired);
  visit("transport", record.transport, kRequired);
}

template <Is<CommunicatorRecord> Record, typename Visit>
void forEachField(Record& record, Visit visit) {
  visit("id", record.id, kRequired);
  visit("name", record.name, kRequired);
  visit("size", record.size, kRequired);
}

template <Is<SiteRecord> Record, typename Visit>
void forEachField(Record& record, Visit visit) {
  visit("identity", record.identity, kRequired);
  visit("label", record.label, kRequired);
  visit("module", record.module, kRequired);
  visit("build_id", record.build_id, kRequired);
  visit("offset", record.offset, kRequired);
  visit("symbol", record.symbol, kRequired);
}

template <Is<KeyId> Record, typename Visit>
void forEachField(Record& record, Visit visit) {
  visit("communicator", record.communicator, kRequired);
  visit("site", record.site, kRequired);
  visit("size_class", record.size_class, kRequired);
  visit("type", record.type, kRequired);
  visit("operation", record.operation, kRequired);
}

template <Is<KeyRecord> Record, typename Visit>
void forEachField(Record& record, Visit visit) {
  visit("id", record.id, kRequired);
  visit("bytes", record.bytes, kRequired);
  visit("calls", record.calls, kRequired);
  visit("exploration_calls", record.exploration_calls, kRequired);
  visit("seconds", record.seconds, kRequired);
  visit("imbalance", record.imbalance, kRequired);
  visit("state", record.state, kRequired);
  visit("choice", record.choice, kRequired);
  visit("table", record.table, kOptional);
  visit("gain", record.gain, kOptional);
}

template <Is<ObservationRecord> Record, typename Visit>
void forEachField(Record& record, Visit visit) {
  visit("key", record.key, kRequired);
  visit("epoch", record.epoch, kRequired);
  visit("choice", record.choice, kRequired);
  visit("exploration", record.exploration, kRequired);
  visit("calls", record.calls, kRequired);
  visit("samples", record.samples, kRequired);
  visit("elapsed_mean", record.elapsed_mean, kRequired);
  visit("post_arrival_mean", record.post_arrival_mean, kRequired);
  visit("post_arrival_minimum", record.post_arrival_minimum, kRequired);
  visit("post_arrival_deviation", record.post_arrival_deviation, kRequired);
}

template <Is<ArrivalRecord> Record, typename Visit>
void forEachField(Record& record, Visit visit) {
  visit("key", record.key, kRequired);
  visit("epoch", record.epoch, kRequired);
  visit("rank", record.rank, kRequired);
  visit("samples", record.samples, kRequired);
  visit("mean", record.mean, kRequired);
  visit("deviation", record.deviation, kRequired);
  visit("predicted", record.predicted, kRequired);
  visit("method", record.method, kRequired);
}

template <Is<DecisionRecord> Record, typename Visit>
void forEachField(Record& record, Visit visit) {
  visit("key", record.key, kRequired);
  visit("epoch", record.epoch, kRequired);
  visit("call", record.call, kRequired);
  visit("choice", record.choice, kRequired);
  visit("table", record.table, kOptional);
  visit("reason", record.reason, kRequired);
  visit("expected", record.expected, kOptional);
  visit("measured", record.measured, kOptional);
  visit("native", record.native, kOptional);
}

template <Is<PolicyRecord> Record, typename Visit>
void forEachField(Record& record, Visit visit) {
  visit("site", record.site, kRequired);
  visit("communicator_size", record.communicator_size, kRequired);
  visit("size_class", record.size_class, kRequired);
  visit("type", record.type, kRequired);
  visit("operation", record.operation, kRequired);
  visit("choice", record.choice, kRequired);
  visit("table", record.table, kOptional);
  visit("lateness_ns", record.lateness_ns, kOptional);
  visit("gain", record.gain, kOptional);
  visit("reason", record.reason, kOptional);
}

template <Is<Batch> Record, typename Visit>
void forEachField(Record& record, Visit visit) {
  visit("communicators", record.communicators, kOptional);
  visit("sites", record.sites, kOptional);
  visit("keys", record.keys, kOptional);
  visit("observations", record.observations, kOptional);
  visit("arrivals", record.arrivals, kOptional);
  visit("decisions", record.decisions, kOptional);
  visit("policies", record.policies, kOptional);
}

// Values.

template <typename Value>
struct IsOptional : std::false_type {};
template <typename Value>
struct IsOptional<std::optional<Value>> : std::true_type {};
template <typename Value>
struct IsList : std::false_type {};
template <typename Value>
struct IsList<std::vector<Value>> : std::true_type {};

template <typename Value>
Json write(const Value& value) {
  if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>) {
    return value;
  } else if constexpr (IsOptional<Value>::value) {
    return value ? write(*value) : Json();
  } else if constexpr (IsList<Value>::value) {
    Json array = Json::array();
    for (const auto& item : value) array.push_back(write(item));
    return array;
  } else {
    Json object = Json::object();
    forEachField(value, [&object](const char* name, const auto& field, Presence) { object[name] = write(field); });
    return object;
  }
}

std::string kindOf(const Json& json) {
  if (json.is_number_float()) return "a fraction";
  if (json.is_number()) return "a whole number";
  if (json.is_string()) return "a text";
  if (json.is_array()) return "a list";
  if (json.is_object()) return "an object";
  if (json.is_boolean()) return json.get<bool>() ? "true" : "false";
  return json.is_null() ? "null" : "binary";
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

template <typename Record>
Status readRecord(const Json& json, const std::string& where, Record& record) {
  if (!json.is_object()) return mismatch(json, where, "an object");
  Status status = Status::ok();
  std::vector<std::string_view> names;
  forEachField(record, [&](const char* name, auto& field, Presence presence) {
    names.emplace_back(name);
    if (!status.isOk()) return;
    const auto found = json.find(name);
    if (found != json.end()) {
      status = read(*found, fmt::format("{}.{}", where, name), field);
    } else if (presence == kRequired) {
      status = Status::error(fmt::format("{}.{}: is missing; this field is needed", where, name));
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
  } else if constexpr (IsOptional<Value>::value) {
    return readOptional(json, where, value);
  } else if constexpr (IsList<Value>::value) {
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
