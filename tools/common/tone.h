// Colours of text for people, used sparingly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starling::cli {

enum class Tone : std::uint8_t { kPlain, kTitle, kGood, kOpen, kBad };

// A piece of a line, without line ends.
struct TonedText {
  Tone tone = Tone::kPlain;
  std::string text;

  bool operator==(const TonedText&) const = default;
};
using TonedLine = std::vector<TonedText>;

// Returns the text with what makes a terminal show it in this tone.
std::string toned(Tone tone, std::string_view text);

}  // namespace starling::cli
