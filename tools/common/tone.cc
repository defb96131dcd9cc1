#include "tone.h"

#include <fmt/color.h>

namespace starling::cli {

std::string toned(Tone tone, std::string_view text) {
  switch (tone) {
    case Tone::kTitle:
      return fmt::format(fmt::emphasis::bold, "{}", text);
    case Tone::kGood:
      return fmt::format(fmt::fg(fmt::terminal_color::green), "{}", text);
    case Tone::kOpen:
      return fmt::format(fmt::fg(fmt::terminal_color::yellow), "{}", text);
    case Tone::kBad:
      return fmt::format(fmt::fg(fmt::terminal_color::red), "{}", text);
    case Tone::kPlain:
      break;
  }
  return std::string(text);
}

}  // namespace starling::cli
