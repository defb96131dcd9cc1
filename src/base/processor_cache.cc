#include "base/processor_cache.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

namespace starling {
namespace {

constexpr int kMostCaches = 16;

std::string firstLineOf(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Takes a whole number from the front of the text; nothing where there is none.
std::optional<std::int64_t> takeNumber(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// As in "32768K" and "32M".
std::int64_t bytesOf(std::string_view size) {
  const std::int64_t number = takeNumber(size).value_or(0);
  if (size == "K") return number << 10;
  return size == "M" ? number << 20 : number;
}

// Counts what is in lists such as "0-7,64-71".
int countOf(std::string_view list) {
  std::int64_t count = 0;
  while (const std::optional<std::int64_t> first = takeNumber(list)) {
    std::optional<std::int64_t> last = first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      last = takeNumber(list);
    }
    if (!last || *last < *first) return 0;
    count += *last - *first + 1;
    list.remove_prefix(std::min<std::size_t>(list.size(), 1));
  }
  return static_cast<int>(count);
}

}  // namespace

std::optional<ProcessorCache> lastCache(const std::string& folder) {
  std::optional<ProcessorCache> last;
  std::string highest;  // level, one digit
  for (int i = 0; i < kMostCaches; ++i) {
    const std::string of_cache = folder + "/index" + std::to_string(i) + "/";
    const std::string level = firstLineOf(of_cache + "level");
    if (level.empty()) break;
    const ProcessorCache cache{bytesOf(firstLineOf(of_cache + "size")),
                               countOf(firstLineOf(of_cache + "shared_cpu_list"))};
    if (level < highest || cache.bytes <= 0 || cache.processors <= 0) continue;
    highest = level;
    last = cache;
  }
  return last;
}

}  // namespace starling
