#include "choices.h"

#include <algorithm>
#include <utility>

namespace starling::cli {

std::vector<std::string> splitChoices(const std::string& text) {
  std::vector<std::string> choices;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::string part = text.substr(start, comma - start);
    const bool is_parameter = part.find('=') != std::string::npos && part.find(':') == std::string::npos;
    if (is_parameter && !choices.empty()) {
      choices.back() += "," + part;
    } else {
      choices.push_back(part);
    }
    start = comma + 1;
  }
  return choices;
}

std::vector<std::string> splitChoices(const std::vector<std::string>& texts) {
  std::vector<std::string> choices;
  for (const std::string& text : texts) {
    for (std::string& choice : splitChoices(text)) choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace starling::cli
