#include "place.h"

#include <fmt/format.h>

#include <filesystem>

#include "summary/site_name.h"

namespace starling::cli {

std::string describeSite(const SiteRecord& site, const Place& place) {
  const std::string source =
      place.file.empty() ? "" : fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
  return siteName(site, place.symbol, source);
}

}  // namespace starling::cli
