// Reads what an option takes, as it is written for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace starling {

// Returns the words of "off | observe | tune"; none where the text has no '|', and so is no list of words.
std::vector<std::string> valueWords(std::string_view values);

}  // namespace starling
