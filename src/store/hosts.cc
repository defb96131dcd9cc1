#include "store/hosts.h"

#include <charconv>
#include <cstddef>

namespace starling {

std::string foldHosts(std::span<const std::string> by_rank) {
  std::string folded;
  for (std::size_t first = 0; first < by_rank.size();) {
    std::size_t end = first;
    while (end < by_rank.size() && by_rank[end] == by_rank[first]) ++end;
    folded += (folded.empty() ? "" : ",") + by_rank[first] + ":" + std::to_string(end - first);
    first = end;
  }
  return folded;
}

std::string_view hostOf(std::string_view folded, std::int64_t rank) {
  while (!folded.empty() && rank >= 0) {
    const std::string_view part = folded.substr(0, folded.find(','));
    const std::size_t colon = part.rfind(':');
    std::int64_t ranks = 0;
    if (colon == std::string_view::npos) return {};
    if (std::from_chars(part.data() + colon + 1, part.data() + part.size(), ranks).ec != std::errc()) return {};
    if (rank < ranks) return part.substr(0, colon);
    rank -= ranks;
    folded.remove_prefix(part.size() == folded.size() ? part.size() : part.size() + 1);
  }
  return {};
}

}  // namespace starling
