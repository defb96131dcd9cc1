#include "place.h"

#include <fmt/format.h>

#include <filesystem>

namespace starling::cli {

std::string shortSymbol(const std::string& symbol) {
  const std::size_t close = symbol.rfind(')');
  if (close == std::string::npos) return symbol;
  // What follows the argument list of a function is " const", "&" or "[clone ...]"; after "(anonymous namespace)" or
  // a lambda's arguments comes more of the name.
  const std::string after = symbol.substr(close + 1);
  if (!after.empty() && after.front() != ' ' && after.front() != '&') return symbol;
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (symbol[i] == ')') ++depth;
    if (symbol[i] == '(' && --depth == 0) return i == 0 ? symbol : symbol.substr(0, i);
  }
  return symbol;
}

std::string describeSite(const SiteRecord& site, const Place& place) {
  if (!site.label.empty()) return site.label;
  const std::string& symbol = place.symbol.empty() ? site.symbol : place.symbol;
  const std::string source =
      place.file.empty() ? "" : fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
  if (!symbol.empty()) return source.empty() ? shortSymbol(symbol) : shortSymbol(symbol) + " (" + source + ")";
  if (!source.empty()) return source;
  if (!site.module.empty()) {
    return fmt::format("{}+{:#x}", std::filesystem::path(site.module).filename().string(), site.offset);
  }
  return site.identity;
}

}  // namespace starling::cli
