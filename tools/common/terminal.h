// Printing for people.
#pragma once

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>
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

// Returns how many characters a line on stdout may have: those of the terminal, else 120.
inline std::size_t lineWidth() {
  constexpr std::size_t kUsual = 120;
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

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

}  // namespace starling::cli
