#include "store/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <string_view>

#include "base/log.h"
#include "store/list_runs.h"
#include "store/policy_check.h"
#include "store/record_sql.h"

namespace starling {
namespace {

// Runs that were merged have higher numbers than those that were here, whenever they began.
constexpr const char* kByAge = "(SELECT started FROM runs WHERE runs.number = policies.run) DESC, run DESC, ";

template <typename Integer>
std::string formatIntegers(const std::vector<Integer>& list) {
  std::string text = "[";
  forEachRun<Integer>(list, [&text](const ListRun& run) {
    if (text.size() > 1) text += ',';
    text += run.length > 1 ? fmt::format("\"{}\"", textOf(run)) : textOf(run);
  });
  return text + "]";
}

bool takeCharacter(std::string_view& text, char character) {
  if (!text.starts_with(character)) return false;
  text.remove_prefix(1);
  return true;
}

// Reads a number, or a string that stands for several, from the front of the text, and takes it away.
template <typename Integer>
bool takeEntry(std::string_view& text, ListBuilder<Integer>& builder) {
  if (takeCharacter(text, '"')) {
    const std::size_t length = text.find('"');
    if (length == text.npos || !builder.addRun(text.substr(0, length))) return false;
    text.remove_prefix(length + 1);
    return true;
  }
  Integer value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  builder.add(value);
  return true;
}

template <typename Integer>
bool parseIntegers(std::string_view text, std::vector<Integer>& list) {
  list.clear();
  if (text == "[]") return true;
  if (!takeCharacter(text, '[')) return false;
  ListBuilder<Integer> builder(list);
  do {
    if (!takeEntry(text, builder)) return false;
  } while (takeCharacter(text, ','));
  return text == "]";
}

Status checkRow(const PolicyRecord& policy, const char* damaged, std::int64_t number) {
  const std::string where = fmt::format("policies of number {}", number);
  if (damaged == nullptr) return checkPolicy(policy, where);
  return Status::error(fmt::format("{}.{}: is too large a number, or no list of whole numbers", where, damaged));
}

}  // namespace

Status damagedRow(const sqlite::Connection& connection, const char* table, const char* column, std::int64_t number) {
  return connection.fault(
      fmt::format("{}.{} of number {} is out of bounds, or no list of whole numbers; delete that row with sqlite3",
                  table, column, number));
}

std::string formatList(const std::vector<std::int32_t>& list) { return formatIntegers(list); }
std::string formatList(const std::vector<std::int64_t>& list) { return formatIntegers(list); }

bool parseList(std::string_view text, std::vector<std::int32_t>& list) { return parseIntegers(text, list); }
bool parseList(std::string_view text, std::vector<std::int64_t>& list) { return parseIntegers(text, list); }

Result<std::int64_t> environmentNumber(const sqlite::Connection& connection, const Environment& environment) {
  sqlite::Statement statement =
      connection.prepare("SELECT number FROM environments WHERE " + equations(columnsOf<Environment>(), 1, " AND "));
  std::int64_t number = 0;  // rows count from 1
  if (startWith(statement, environment).next()) statement.read(number);
  if (!statement.status().isOk()) return statement.status();
  return number;
}

Result<std::vector<PolicyRecord>> selectPolicies(const sqlite::Connection& connection, std::int64_t environment,
                                                 const std::string& program, PolicyOrder order, std::size_t steps) {
  sqlite::Statement statement = connection.prepare(
      fmt::format("SELECT number, {} FROM policies WHERE environment = ?1 AND program = ?2 "
                  "ORDER BY site = 'any', {}site, communicator_size, size_class, type, operation",
                  selected<PolicyRecord>("policies", steps), order == PolicyOrder::kNewestFirst ? kByAge : ""));
  std::vector<PolicyRecord> policies;
  Status first_fault = Status::ok();
  statement.start(environment, program);
  while (statement.next()) {
    PolicyRecord policy;
    std::int64_t number = 0;
    const char* damaged = readRow(statement, number, policy);
    const Status checked = checkRow(policy, damaged, number);
    if (checked.isOk()) {
      policies.push_back(std::move(policy));
    } else if (first_fault.isOk()) {
      first_fault = checked;
    }
  }
  if (!statement.status().isOk()) return statement.status();
  if (!first_fault.isOk()) {
    logOnce(LogLevel::kWarning, "policy rows of " + connection.path(),
            fmt::format("{}: {}; such a row is left out until it is mended or deleted with sqlite3", connection.path(),
                        first_fault.message()));
  }
  return policies;
}

Result<CallsOfKeys> selectCallsOfKeys(const sqlite::Connection& connection, std::int64_t run, std::size_t steps) {
  sqlite::Statement statement = connection.prepare(fmt::format(
      "SELECT keys.number, communicators.id, sites.identity, {}, keys.calls FROM keys "
      "JOIN communicators ON communicators.number = keys.communicator JOIN sites ON sites.number = keys.site "
      "WHERE communicators.run = ?1",
      selected<KeyId>("keys", steps)));
  CallsOfKeys calls;
  statement.start(run);
  while (statement.next()) {
    std::int64_t number = 0;
    std::int64_t of_key = 0;
    KeyId id;
    const char* damaged = readRow(statement, number, id.communicator, id.site, id, of_key);
    if (damaged != nullptr) return damagedRow(connection, "keys", damaged, number);
    calls.emplace(std::move(id), of_key);
  }
  if (!statement.status().isOk()) return statement.status();
  return calls;
}

std::string selectionOfCallsForPolicy() {
  // Unlike sum(), total() has a result where a stranger has written numbers that overflow.
  return "(SELECT CAST(total(calls) AS INTEGER) FROM keys "
         "JOIN communicators ON communicators.number = keys.communicator JOIN sites ON sites.number = keys.site "
         "WHERE communicators.run = policies.run AND communicators.size = policies.communicator_size "
         "AND sites.identity = policies.site AND keys.size_class = policies.size_class AND keys.type = policies.type "
         "AND keys.operation = policies.operation)";
}

std::string selectionOfKeys() {
  return "SELECT keys.number FROM communicators JOIN keys ON keys.communicator = communicators.number "
         "WHERE communicators.run = ?1";
}

std::string selectionOfKeys(std::span<const std::int64_t> sites) {
  return fmt::format("{} AND keys.site IN ({})", selectionOfKeys(), fmt::join(sites, ","));
}

}  // namespace starling
