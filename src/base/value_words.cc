#include "base/value_words.h"

namespace starling {

std::vector<std::string> valueWords(std::string_view values) {
  std::vector<std::string> words;
  if (values.find('|') == std::string_view::npos) return words;
  words.emplace_back();
  for (const char c : values) {
    if (c == '|') {
      words.emplace_back();
    } else if (c != ' ') {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace starling
