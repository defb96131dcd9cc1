#include "store/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <string_view>

namespace starling {
namespace {

template <typename Integer>
bool parseIntegers(std::string_view text, std::vector<Integer>& list) {
  list.clear();
  if (text == "[]") return true;
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return false;
  const char* position = text.data() + 1;
  const char* const last = text.data() + text.size() - 1;  // the closing bracket
  while (true) {
    Integer value{};
    const auto [end, fault] = std::from_chars(position, last, value);
    if (fault != std::errc()) return false;
    list.push_back(value);
    if (end == last) return true;
    if (*end != ',') return false;
    position = end + 1;
  }
}

}  // namespace

std::string formatList(const std::vector<std::int32_t>& list) { return fmt::format("[{}]", fmt::join(list, ",")); }
std::string formatList(const std::vector<std::int64_t>& list) { return fmt::format("[{}]", fmt::join(list, ",")); }

bool parseList(const std::string& text, std::vector<std::int32_t>& list) { return parseIntegers(text, list); }
bool parseList(const std::string& text, std::vector<std::int64_t>& list) { return parseIntegers(text, list); }

Result<std::vector<PolicyRecord>> selectPolicies(const sqlite::Connection& connection, std::int64_t environment,
                                                 const std::string& program) {
  sqlite::Statement statement = connection.prepare(
      "SELECT number, site, communicator_size, size_class, type, operation, choice, virtual_ranks, lateness_ns, gain, "
      "reason FROM policies WHERE environment = ?1 AND program = ?2 "
      "ORDER BY site = 'any', site, communicator_size, size_class, type, operation");
  std::vector<PolicyRecord> policies;
  statement.start(environment, program);
  while (statement.next()) {
    PolicyRecord policy;
    std::int64_t number = 0;
    std::string table;
    std::string lateness;
    statement.read(number, policy.site, policy.communicator_size, policy.size_class, policy.type, policy.operation,
                   policy.choice, table, lateness, policy.gain, policy.reason);
    if (!parseList(table, policy.table) || !parseList(lateness, policy.lateness_ns)) {
      return connection.fault(
          fmt::format("policies.number {} holds a list that cannot be read; delete that row with sqlite3", number));
    }
    policies.push_back(std::move(policy));
  }
  if (!statement.status().isOk()) return statement.status();
  return policies;
}

}  // namespace starling
