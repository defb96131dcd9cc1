#include "base/nearest_word.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

namespace starling {
namespace {

// Longer texts are no mistyped words, and comparing them takes long.
constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kShortestBeginning = 3;

bool isSameLetter(char one, char other) {
  return std::tolower(static_cast<unsigned char>(one)) == std::tolower(static_cast<unsigned char>(other));
}

}  // namespace

// Row i of the table of Damerau and Levenshtein has the distances between the first i letters of `one` and each
// beginning of `other`; three rows are kept.
std::size_t editDistance(std::string_view one, std::string_view other) {
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.resize(other.size() + 1);
  auto& [before, above, row] = rows;
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= one.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (isSameLetter(one[i - 1], other[j - 1]) ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      const bool is_exchanged =
          i > 1 && j > 1 && isSameLetter(one[i - 1], other[j - 2]) && isSameLetter(one[i - 2], other[j - 1]);
      if (is_exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::rotate(rows.begin(), rows.begin() + 1, rows.end());
  }
  return above.back();
}

std::optional<std::string> nearestWord(std::string_view text, const std::vector<std::string>& words) {
  if (text.empty() || text.size() > kLongestWord) return std::nullopt;
  std::size_t least = std::max<std::size_t>(1, text.size() / 3) + 1;
  std::optional<std::string> nearest;
  for (const std::string& word : words) {
    if (word.size() > 2 * kLongestWord) continue;
    // The beginning of a word is as good as the word with one letter wrong.
    const bool is_beginning = text.size() >= kShortestBeginning && word.starts_with(text);
    const std::size_t distance = is_beginning ? 1 : editDistance(text, word);
    if (distance >= least || distance >= word.size()) continue;
    least = distance;
    nearest = word;
  }
  return nearest;
}

std::string didYouMean(std::string_view text, const std::vector<std::string>& words) {
  const std::optional<std::string> nearest = nearestWord(text, words);
  return nearest ? "; did you mean `" + *nearest + "`?" : "";
}

}  // namespace starling
