#include "summary/site_name.h"

#include <fmt/format.h>

#include <filesystem>

namespace starling {

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

std::string siteName(const SiteRecord& site, const std::string& symbol, const std::string& source) {
  if (!site.label.empty()) return site.label;
  const std::string& known = symbol.empty() ? site.symbol : symbol;
  if (!known.empty()) return source.empty() ? shortSymbol(known) : shortSymbol(known) + " (" + source + ")";
  if (!source.empty()) return source;
  if (!site.module.empty()) {
    return fmt::format("{}+{:#x}", std::filesystem::path(site.module).filename().string(), site.offset);
  }
  return site.identity;
}

}  // namespace starling
