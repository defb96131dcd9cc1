// Finds the word that somebody meant who wrote another one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

// Counts the letters that have to be put in, left out, replaced, or exchanged with their neighbour, to make one word of
// the other; capitals and small letters are alike.
std::size_t editDistance(std::string_view one, std::string_view other);

// Returns the word nearest to `text`, the first of several; nothing where more than a third of its letters would have
// to change.
std::optional<std::string> nearestWord(std::string_view text, const std::vector<std::string>& words);

// Returns "; did you mean `ring`?", to end a sentence that refuses `text`; empty where no word is near.
std::string didYouMean(std::string_view text, const std::vector<std::string>& words);

// The same for rows of a table, or other things that have names.
template <typename Rows, typename NameOf>
std::string didYouMean(std::string_view text, const Rows& rows, const NameOf& name_of) {
  std::vector<std::string> words;
  for (const auto& row : rows) words.emplace_back(name_of(row));
  return didYouMean(text, words);
}

}  // namespace starling
