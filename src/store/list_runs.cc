#include "store/list_runs.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace starling {
namespace {

// Reads one number from the front of the text, and takes it away.
bool takeNumber(std::string_view& text, std::int64_t& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::string textOf(const ListRun& run) {
  if (run.length == 1) return fmt::format("{}", run.first);
  return run.rises ? fmt::format("{}-{}", run.first, run.first + (run.length - 1))
                   : fmt::format("{}*{}", run.length, run.first);
}

bool parseRun(std::string_view text, ListRun& run) {
  std::int64_t left = 0;
  std::int64_t right = 0;
  if (!takeNumber(text, left) || text.empty()) return false;
  const char sign = text.front();
  text.remove_prefix(1);
  if (!takeNumber(text, right) || !text.empty()) return false;
  if (sign == '*') {
    run = {.first = right, .length = left};
    return left > 0;
  }
  if (sign != '-' || right < left || right - left == std::numeric_limits<std::int64_t>::max()) return false;
  run = {.first = left, .length = right - left + 1, .rises = true};
  return true;
}

}  // namespace starling
