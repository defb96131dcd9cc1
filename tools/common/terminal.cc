#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <system_error>

namespace starling::cli {
namespace {

constexpr std::size_t kLeastWidth = 20;

std::string_view variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

// Returns 0 where the variable holds no such number.
std::size_t columnsOfEnvironment() {
  const std::string_view text = variable("COLUMNS");
  std::size_t columns = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return fault == std::errc() && end == text.data() + text.size() && columns >= kLeastWidth ? columns : 0;
}

}  // namespace

std::size_t lineWidth() {
  if (const std::size_t columns = columnsOfEnvironment(); columns > 0) return columns;
  winsize size{};
  const bool is_known = ::isatty(STDOUT_FILENO) != 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return is_known && size.ws_col > 0 ? size.ws_col : Look{}.width;
}

Look lookOfStdout(ColourChoice choice) {
  const bool suits = ::isatty(STDOUT_FILENO) != 0 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  return {lineWidth(), choice == ColourChoice::kAlways || (choice == ColourChoice::kAuto && suits)};
}

void tell(const std::string& message) {
  try {
    show(stderr, "starling: {}\n", message);
  } catch (const std::system_error&) {
  }
}

}  // namespace starling::cli
