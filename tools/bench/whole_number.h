// Reads whole numbers from command lines.
#pragma once

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

namespace starling::bench {

// Returns the number that the text is, whole; empty where it is none, or is out of bounds.
inline std::optional<int> parseWholeNumber(std::string_view text, int minimum,
                                           int maximum = std::numeric_limits<int>::max()) {
  int number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = fault == std::errc() && end == text.data() + text.size();
  return is_whole && number >= minimum && number <= maximum ? std::optional(number) : std::nullopt;
}

}  // namespace starling::bench
