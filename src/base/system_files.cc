#include "base/system_files.h"

#include <charconv>
#include <fstream>
#include <optional>

namespace starling {
namespace {

// Takes a whole number from the front of the text; nothing where there is none.
std::optional<std::int64_t> takeNumber(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

constexpr int kMostCaches = 16;                    // of a processor
constexpr std::int64_t kGreatestNumber = 1 << 20;  // of a processor

// As in "32768K" and "32M".
std::int64_t bytesOf(std::string_view size) {
  const std::int64_t number = takeNumber(size).value_or(0);
  if (size == "K") return number << 10;
  return size == "M" ? number << 20 : number;
}

}  // namespace

std::string firstLineOf(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<std::int32_t> numbersIn(std::string_view list) {
  std::vector<std::int32_t> numbers;
  while (!list.empty()) {
    const std::optional<std::int64_t> first = takeNumber(list);
    std::optional<std::int64_t> last = first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      last = takeNumber(list);
    }
    if (!first || !last || *first < 0 || *last < *first || *last > kGreatestNumber) return {};
    for (std::int64_t number = *first; number <= *last; ++number) numbers.push_back(static_cast<std::int32_t>(number));
    if (list.starts_with(',')) {
      list.remove_prefix(1);
    } else if (!list.empty()) {
      return {};
    }
  }
  return numbers;
}

std::vector<CacheFiles> cachesIn(const std::string& folder) {
  std::vector<CacheFiles> caches;
  for (int i = 0; i < kMostCaches; ++i) {
    const std::string of_cache = folder + "/index" + std::to_string(i) + "/";
    const std::string level = firstLineOf(of_cache + "level");
    if (level.empty()) break;
    if (firstLineOf(of_cache + "type") == "Instruction") continue;
    std::string_view digits = level;
    caches.push_back({takeNumber(digits).value_or(0), bytesOf(firstLineOf(of_cache + "size")),
                      numbersIn(firstLineOf(of_cache + "shared_cpu_list"))});
  }
  return caches;
}

}  // namespace starling
