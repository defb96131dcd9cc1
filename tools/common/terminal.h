// Printing for people.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/printable.h"

namespace starling::cli {

// An argument as it may be shown: text becomes printable(), which has no line ends; figures stay.
template <typename Value>
auto shown(const Value& value) {
  if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
    return printable(value);
  } else {
    return value;
  }
}

// How text for people is laid out on stdout.
struct Look {
  std::size_t width = 120;  // characters that a line may have
  bool has_colours = false;
};

enum class ColourChoice : std::uint8_t { kAuto, kAlways, kNever };

// Returns how many characters a line on stdout may have: those that COLUMNS says, else those of the terminal, else 120.
std::size_t lineWidth();

// With kAuto there are colours on a terminal that is not called "dumb", and where NO_COLOR is not set, or empty.
Look lookOfStdout(ColourChoice choice);

// As fmt::print(), for formats whose arguments may quote a database, a file or the environment: nothing in them acts on
// the terminal or forges a line. Line ends come from the format alone.
template <typename... Values>
void show(std::FILE* stream, fmt::format_string<decltype(shown(std::declval<const Values&>()))...> format,
          const Values&... values) {
  fmt::print(stream, format, shown(values)...);
}

template <typename... Values>
void show(fmt::format_string<decltype(shown(std::declval<const Values&>()))...> format, const Values&... values) {
  fmt::print(stdout, format, shown(values)...);
}

// Tells the user something on stderr. Where that is lost, as on a full disk, the exit code alone tells.
void tell(const std::string& message);

}  // namespace starling::cli
