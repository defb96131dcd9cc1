// Colours of text for people, used sparingly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace starling::cli {

enum class Tone : std::uint8_t { kPlain, kTitle, kGood, kOpen, kBad };

// Returns the text with what makes a terminal show it in this tone.
std::string toned(Tone tone, std::string_view text);

}  // namespace starling::cli
