#include "listing.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace starling::cli {
namespace {

std::string smallLetters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::string ColumnName::word() const {
  std::string word = smallLetters(title);
  std::replace(word.begin(), word.end(), ' ', '_');
  return word;
}

bool isNamed(const ColumnName& name, const std::string& text) {
  const std::string wanted = smallLetters(text);
  return wanted == name.word() || wanted == smallLetters(name.title) || wanted == smallLetters(name.field);
}

std::vector<std::size_t> arrangedOrder(const std::vector<Json>& values, ColumnKind kind, const ListOptions& options) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool falls = (kind == ColumnKind::kFigure) != options.is_reversed;
  if (options.sort.empty()) {
    if (options.is_reversed) std::reverse(order.begin(), order.end());
  } else {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
      const Json& a = values[one];
      const Json& b = values[other];
      if (a.is_null() || b.is_null()) return !a.is_null() && b.is_null();
      return falls ? b < a : a < b;
    });
  }
  const bool is_cut = options.limit >= 0 && options.limit < std::ssize(order);
  if (is_cut) order.resize(static_cast<std::size_t>(options.limit));
  return order;
}

}  // namespace starling::cli
