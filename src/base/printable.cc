#include "base/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace starling {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// These may not reach a terminal as they are: Unicode's controls, format characters (general category Cf), line and
// paragraph separators, variation selectors, and code points that are no characters.
constexpr std::array<Range, 20> kHarmful{{{0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x034F, 0x034F},
                                          {0x0600, 0x0605}, {0x061C, 0x061C}, {0x06DD, 0x06DD}, {0x070F, 0x070F},
                                          {0x115F, 0x1160}, {0x180B, 0x180F}, {0x200B, 0x200F}, {0x2028, 0x202E},
                                          {0x2060, 0x206F}, {0x3164, 0x3164}, {0xD800, 0xDFFF}, {0xFE00, 0xFE0F},
                                          {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0x10FFFF}}};

bool isHarmful(char32_t character) {
  return std::any_of(kHarmful.begin(), kHarmful.end(),
                     [character](const Range& range) { return range.first <= character && character <= range.last; });
}

struct Decoded {
  char32_t character = 0;
  std::size_t bytes = 0;  // 0: the text does not start with a character of UTF-8
};

// Decodes the first character. The first byte says how many follow, and a character that needs fewer is not UTF-8.
Decoded decodeFirst(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  char32_t character = first & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    character = character << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kMin{0, 0, 0x80, 0x800, 0x10000};
  if (character < kMin[bytes] || character > 0x10FFFF) return {};
  return {character, bytes};
}

void appendHexadecimal(std::string& text, std::uint32_t value, int digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int digit = digits - 1; digit >= 0; --digit) text += kDigits[value >> (4 * digit) & 0xFU];
}

void appendEscape(std::string& text, char32_t character) {
  if (character < 0x80) {
    text += "\\x";
    appendHexadecimal(text, character, 2);
  } else if (character < 0x10000) {
    text += "\\u";
    appendHexadecimal(text, character, 4);
  } else {
    text += "\\U";
    appendHexadecimal(text, character, 8);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const Decoded next = decodeFirst(text);
    if (next.bytes == 0) {
      safe += "\\x";
      appendHexadecimal(safe, static_cast<unsigned char>(text.front()), 2);
      text.remove_prefix(1);
      continue;
    }
    if (isHarmful(next.character)) {
      appendEscape(safe, next.character);
    } else {
      safe += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return safe;
}

std::string quotedForShell(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace starling
