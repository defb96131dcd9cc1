// Here is the one list of each record's fields. The columns of the tables (record_sql.h), the JSON of policy documents
// and the bytes between ranks (record_json.h) follow from it. Adding a column is a member of the record, a line here
// that says since which step of the schema it is there, and that step; a member without its line does not compile, a
// line without its column fails tests/store. In files of an earlier step the column reads as NULL.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "store/records.h"

namespace starling {

// Tells whether a field may be left out of JSON that is read; it then keeps its default.
enum class Presence { kRequired, kOptional };

// Tells what becomes of a column when a record is written whose row is there already.
enum class OnConflict {
  kIdentifies,  // it is what says that the row is there
  kReplaces,    // the new value takes the place of the old one
  kFillsIn,     // the new value is taken where the old one is '' or 0
};

template <typename Value>
inline constexpr bool kIsOptional = false;
template <typename Item>
inline constexpr bool kIsOptional<std::optional<Item>> = true;
template <typename Value>
inline constexpr bool kIsList = false;
template <typename Item>
inline constexpr bool kIsList<std::vector<Item>> = true;
template <typename Value>
inline constexpr bool kIsIntegerList = false;
template <std::integral Item>
inline constexpr bool kIsIntegerList<std::vector<Item>> = true;

// The field's type decides: an optional value and a list have a default that means something. The database holds an
// empty optional as NULL.
template <typename Value>
inline constexpr Presence kUsualPresence =
    kIsOptional<std::remove_const_t<Value>> || kIsList<std::remove_const_t<Value>> ? Presence::kOptional
                                                                                   : Presence::kRequired;

// A member that its record's table has as a column.
template <typename Value>
struct Field {
  const char* name;
  Value& value;
  OnConflict on_conflict;
  Presence presence = kUsualPresence<Value>;
  const char* column = name;
  std::size_t first_step = 1;  // of the schema, that has the column

  Field mayBeMissing() const { return {name, value, on_conflict, Presence::kOptional, column, first_step}; }
  Field inColumn(const char* other) const { return {name, value, on_conflict, presence, other, first_step}; }
  Field since(std::size_t step) const { return {name, value, on_conflict, presence, column, step}; }
};

// A member in whose place the record's table has the number of another table's row, or nothing.
template <typename Value>
struct Link {
  const char* name;
  Value& value;
  Presence presence = kUsualPresence<Value>;
};

template <typename Value>
Field<Value> identifies(const char* name, Value& value) {
  return {name, value, OnConflict::kIdentifies};
}
template <typename Value>
Field<Value> replaces(const char* name, Value& value) {
  return {name, value, OnConflict::kReplaces};
}
template <typename Value>
Field<Value> fillsIn(const char* name, Value& value) {
  return {name, value, OnConflict::kFillsIn};
}
template <typename Value>
Link<Value> link(const char* name, Value& value) {
  return {name, value};
}

template <typename Record, typename Wanted>
concept Is = std::same_as<std::remove_const_t<Record>, Wanted>;

template <Is<Environment> Record>
auto fieldsOf(Record& record) {
  return std::tuple{identifies("ranks", record.ranks),
                    identifies("nodes", record.nodes),
                    identifies("ranks_per_node", record.ranks_per_node),
                    identifies("processor", record.processor),
                    identifies("mpi_version", record.mpi_version),
                    identifies("transport", record.transport)};
}

template <Is<Run> Record>
auto fieldsOf(Record& record) {
  return std::tuple{identifies("id", record.id),
                    link("environment", record.environment),
                    replaces("program", record.program),
                    replaces("started", record.started),
                    replaces("hosts", record.hosts).mayBeMissing().since(6),
                    replaces("seconds", record.seconds).since(6),
                    replaces("unprepared_calls", record.beside_keys.calls).since(9),
                    replaces("unprepared_seconds", record.beside_keys.seconds).since(9),
                    replaces("preparing_seconds", record.beside_keys.preparing).since(9)};
}

template <Is<CommunicatorRecord> Record>
auto fieldsOf(Record& record) {
  return std::tuple{identifies("id", record.id),
                    replaces("name", record.name),
                    replaces("size", record.size),
                    replaces("compared_by", record.compared_by).since(2),
                    replaces("clock_error", record.clock_error).since(3),
                    replaces("alpha", record.alpha).since(7),
                    replaces("beta", record.beta).since(7),
                    replaces("gamma", record.gamma).since(7),
                    replaces("overhead", record.overhead).since(7),
                    replaces("release", record.release).since(7),
                    replaces("shared_ports", record.shared_ports).since(7),
                    replaces("inner_alpha", record.inner_alpha).since(7),
                    replaces("inner_beta", record.inner_beta).since(7),
                    replaces("node_alpha", record.node_alpha).since(7),
                    replaces("node_beta", record.node_beta).since(7),
                    replaces("read_alpha", record.read_alpha).since(8),
                    replaces("read_beta", record.read_beta).since(8),
                    replaces("nodes", record.nodes).since(7)};
}

// What an earlier run could not tell of a site is filled in; what it told stays.
template <Is<SiteRecord> Record>
auto fieldsOf(Record& record) {
  return std::tuple{identifies("identity", record.identity), fillsIn("label", record.label),
                    fillsIn("module", record.module),        fillsIn("build_id", record.build_id),
                    fillsIn("offset", record.offset),        fillsIn("symbol", record.symbol)};
}

template <Is<KeyId> Record>
auto fieldsOf(Record& record) {
  return std::tuple{
      link("communicator", record.communicator),   link("site", record.site),
      identifies("size_class", record.size_class), identifies("type", record.type),
      identifies("operation", record.operation),   identifies("part", record.part).mayBeMissing().since(5)};
}

template <Is<KeyRecord> Record>
auto fieldsOf(Record& record) {
  return std::tuple{link("id", record.id),
                    replaces("bytes", record.bytes),
                    replaces("calls", record.calls),
                    replaces("exploration_calls", record.exploration_calls),
                    replaces("seconds", record.seconds),
                    replaces("imbalance", record.imbalance),
                    replaces("state", record.state),
                    replaces("choice", record.choice),
                    replaces("table", record.table).inColumn("virtual_ranks"),
                    replaces("gain", record.gain),
                    replaces("cycle", record.cycle).mayBeMissing().since(5),
                    replaces("outlook", record.outlook).mayBeMissing().since(5),
                    replaces("gain_error", record.gain_error).since(6),
                    replaces("waiting", record.waiting).since(10)};
}

template <Is<ObservationRecord> Record>
auto fieldsOf(Record& record) {
  return std::tuple{link("key", record.key),
                    identifies("epoch", record.epoch),
                    identifies("choice", record.choice),
                    identifies("exploration", record.exploration),
                    replaces("calls", record.calls),
                    replaces("samples", record.samples),
                    replaces("elapsed_mean", record.elapsed_mean),
                    replaces("elapsed_minimum", record.elapsed_minimum).since(2),
                    replaces("elapsed_deviation", record.elapsed_deviation).since(2),
                    replaces("post_arrival_mean", record.post_arrival_mean),
                    replaces("post_arrival_minimum", record.post_arrival_minimum),
                    replaces("post_arrival_deviation", record.post_arrival_deviation),
                    replaces("epochs", record.epochs).mayBeMissing().since(4)};
}

template <Is<ArrivalRecord> Record>
auto fieldsOf(Record& record) {
  return std::tuple{link("key", record.key),
                    identifies("epoch", record.epoch),
                    identifies("rank", record.rank),
                    replaces("samples", record.samples),
                    replaces("mean", record.mean),
                    replaces("deviation", record.deviation),
                    replaces("predicted", record.predicted),
                    replaces("method", record.method),
                    replaces("error", record.error).since(5),
                    replaces("epochs", record.epochs).mayBeMissing().since(4),
                    replaces("last", record.last).since(6),
                    replaces("world_rank", record.world_rank).since(6),
                    replaces("waited", record.waited).since(10)};
}

template <Is<HistogramRecord> Record>
auto fieldsOf(Record& record) {
  return std::tuple{link("key", record.key), identifies("epoch", record.epoch), replaces("samples", record.samples),
                    replaces("counts", record.counts), replaces("epochs", record.epochs)};
}

template <Is<DecisionRecord> Record>
auto fieldsOf(Record& record) {
  return std::tuple{link("key", record.key),
                    identifies("epoch", record.epoch),
                    identifies("call", record.call),
                    identifies("choice", record.choice),
                    replaces("table", record.table).inColumn("virtual_ranks"),
                    replaces("reason", record.reason),
                    replaces("expected", record.expected),
                    replaces("measured", record.measured),
                    replaces("native", record.native)};
}

template <Is<PolicyRecord> Record>
auto fieldsOf(Record& record) {
  return std::tuple{identifies("site", record.site),
                    identifies("communicator_size", record.communicator_size),
                    identifies("size_class", record.size_class),
                    identifies("type", record.type),
                    identifies("operation", record.operation),
                    replaces("choice", record.choice),
                    replaces("table", record.table).inColumn("virtual_ranks"),
                    replaces("lateness_ns", record.lateness_ns),
                    replaces("gain", record.gain),
                    replaces("compared_by", record.compared_by).since(2),
                    replaces("reason", record.reason).mayBeMissing()};
}

template <Is<Batch> Record>
auto fieldsOf(Record& record) {
  return std::tuple{link("communicators", record.communicators),
                    link("sites", record.sites),
                    link("keys", record.keys),
                    link("observations", record.observations),
                    link("arrivals", record.arrivals),
                    link("histograms", record.histograms),
                    link("decisions", record.decisions),
                    link("policies", record.policies)};
}

template <typename Value>
concept Listed = requires(Value& value) {
  fieldsOf(value);
};

// Calls `visit(field)` for all fields, in their order.
template <Listed Record, typename Visit>
void forEachField(Record& record, Visit visit) {
  std::apply([&visit](const auto&... field) { (visit(field), ...); }, fieldsOf(record));
}

// These two stand for one member more, of a type that is not known.
struct AnyClass {
  template <typename Value>
  requires std::is_class_v<Value>
  operator Value() const;  // NOLINT(google-explicit-constructor): it is to convert to whatever member there is
};
struct AnyScalar {
  template <typename Value>
  requires(!std::is_class_v<Value>) operator Value() const;  // NOLINT(google-explicit-constructor): as above
};

// Tells whether `Record` can be made of its listed fields in their order, and of nothing more.
template <typename Record, typename... Fields>
constexpr bool hasNoMoreThan(const std::tuple<Fields...>* /*list*/) {
  return requires { Record{std::declval<decltype(Fields::value)>()...}; }
  &&!requires { Record{std::declval<decltype(Fields::value)>()..., AnyClass{}}; }
  &&!requires { Record{std::declval<decltype(Fields::value)>()..., AnyScalar{}}; };
}
template <Listed Record>
inline constexpr bool kListsEveryMember =
    hasNoMoreThan<Record>(static_cast<const decltype(fieldsOf(std::declval<Record&>()))*>(nullptr));

static_assert(kListsEveryMember<Environment> && kListsEveryMember<Run> && kListsEveryMember<CommunicatorRecord> &&
              kListsEveryMember<SiteRecord> && kListsEveryMember<KeyId> && kListsEveryMember<KeyRecord>);
static_assert(kListsEveryMember<ObservationRecord> && kListsEveryMember<ArrivalRecord> &&
              kListsEveryMember<HistogramRecord> && kListsEveryMember<DecisionRecord> &&
              kListsEveryMember<PolicyRecord> && kListsEveryMember<Batch>);

}  // namespace starling
