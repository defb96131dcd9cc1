#include "algos/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace starling {
namespace {

// Appends the numbers of a line; returns what is wrong with it, or nothing.
std::string appendRow(std::string_view line, std::vector<std::int32_t>& links) {
  constexpr std::string_view kBetween = " \t\r,";
  constexpr std::size_t kLongestShown = 32;
  while (true) {
    const std::size_t start = line.find_first_not_of(kBetween);
    if (start == std::string_view::npos) return "";
    const std::string_view word = line.substr(start, line.find_first_of(kBetween, start) - start);
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < 0 || value > kHeaviestLink) {
      return fmt::format("\"{}\" is no whole number from 0 to {}", word.substr(0, kLongestShown), kHeaviestLink);
    }
    links.push_back(value);
    line.remove_prefix(start + word.size());
  }
}

}  // namespace

Topology arranged(const Topology& topology, std::span<const std::int32_t> table) {
  if (table.empty()) return topology;
  Topology by_virtual_rank;
  by_virtual_rank.shares_memory = topology.shares_memory;
  by_virtual_rank.reads_memory = topology.reads_memory;
  by_virtual_rank.gives_cores = topology.gives_cores;
  std::vector<std::int32_t> place_of(table.size());
  for (std::size_t place = 0; place < table.size(); ++place) place_of[table[place]] = static_cast<std::int32_t>(place);
  for (const TreeLinks& tree : topology.trees) {
    TreeLinks& moved = by_virtual_rank.trees.emplace_back();
    for (const TreeLink& link : tree) moved.push_back({place_of[link.parent], place_of[link.child]});
  }
  for (const std::int32_t rank : table) {
    if (!topology.nodes.empty()) by_virtual_rank.nodes.push_back(topology.nodes[static_cast<std::size_t>(rank)]);
    if (topology.links.empty()) continue;
    for (const std::int32_t other : table) {
      by_virtual_rank.links.push_back(topology.links[static_cast<std::size_t>(rank) * table.size() + other]);
    }
  }
  return by_virtual_rank;
}

Result<std::vector<std::int32_t>> parseLinks(std::string_view text) {
  std::vector<std::int32_t> links;
  std::vector<std::int64_t> lines;  // of the text, by row
  std::size_t width = 0;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t before = links.size();
    const std::string fault = appendRow(line.substr(0, line.find('#')), links);
    if (!fault.empty()) return Status::error(fmt::format("line {}: {}", number, fault));
    const std::size_t found = links.size() - before;
    if (found == 0) continue;
    if (lines.empty()) width = found;
    if (found != width) {
      return Status::error(fmt::format("line {}: {} numbers, where the first row has {}", number, found, width));
    }
    lines.push_back(number);
  }
  if (lines.size() != width || width == 0) {
    return Status::error(
        fmt::format("{} rows of {} numbers: give a row and a column for each rank", lines.size(), width));
  }
  for (std::size_t a = 0; a < width; ++a) {
    if (links[a * width + a] != 0) {
      return Status::error(fmt::format("line {}: rank {} has a link to itself: write 0", lines[a], a));
    }
    for (std::size_t b = 0; b < a; ++b) {
      if (links[a * width + b] != links[b * width + a]) {
        return Status::error(
            fmt::format("lines {} and {}: the link of ranks {} and {} has two values, {} and {}: give one", lines[b],
                        lines[a], b, a, links[b * width + a], links[a * width + b]));
      }
    }
  }
  return links;
}

bool sharesNodes(const Topology* topology) {
  if (topology == nullptr || topology->nodes.empty()) return false;
  std::vector<std::int32_t> nodes = topology->nodes;
  if (!std::ranges::is_sorted(nodes)) std::ranges::sort(nodes);
  return nodes.front() != nodes.back() && std::ranges::adjacent_find(nodes) != nodes.end();
}

bool sharesOneMemory(const Topology* topology) {
  if (topology == nullptr || !topology->shares_memory || topology->nodes.empty()) return false;
  return std::ranges::count(topology->nodes, topology->nodes.front()) == std::ssize(topology->nodes);
}

bool tellsApart(const Topology* topology) {
  return sharesNodes(topology) || (topology != nullptr && !topology->links.empty());
}

NodeSizes sizesOfNodes(const Topology* topology, std::int32_t ranks, std::pmr::memory_resource* memory) {
  if (topology == nullptr || topology->nodes.empty()) return {ranks, 1, 1};
  const std::vector<std::int32_t>& nodes = topology->nodes;
  const auto [least, greatest] = std::ranges::minmax(nodes);
  NodeSizes sizes{0, ranks, 0};
  const auto note = [&sizes](std::int32_t members) {
    if (members == 0) return;
    sizes = {sizes.nodes + 1, std::min(sizes.fewest, members), std::max(sizes.most, members)};
  };
  if (const std::int64_t numbers = std::int64_t{greatest} - least + 1; numbers <= ranks) {
    std::pmr::vector<std::int32_t> members(static_cast<std::size_t>(numbers), 0, memory);
    for (const std::int32_t node : nodes) ++members[static_cast<std::size_t>(node - least)];
    std::ranges::for_each(members, note);
    return sizes;
  }
  std::pmr::vector<std::int32_t> sorted(nodes.begin(), nodes.end(), memory);
  std::ranges::sort(sorted);
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto end = std::upper_bound(first, sorted.end(), *first);
    note(static_cast<std::int32_t>(end - first));
    first = end;
  }
  return sizes;
}

NodeMembers ranksOfNodes(const Topology* topology, std::int32_t ranks, std::span<const std::int32_t> table,
                         std::pmr::memory_resource* memory) {
  const bool is_known = topology != nullptr && !topology->nodes.empty();
  const auto node_of = [&](std::int32_t rank) {
    const std::int32_t place = table.empty() ? rank : table[static_cast<std::size_t>(rank)];
    return is_known ? topology->nodes[static_cast<std::size_t>(place)] : place;
  };
  // Pairs of node and rank are sorted node by node.
  std::pmr::vector<std::pair<std::int32_t, std::int32_t>> placed(memory);
  placed.reserve(static_cast<std::size_t>(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank) placed.emplace_back(node_of(rank), rank);
  if (!std::ranges::is_sorted(placed)) std::ranges::sort(placed);
  const auto end_of_node = [&placed](auto begin) {
    return std::find_if(begin, placed.end(), [begin](const auto& place) { return place.first != begin->first; });
  };
  std::size_t count = 0;
  for (auto it = placed.begin(); it != placed.end(); it = end_of_node(it)) ++count;
  NodeMembers nodes(memory);
  nodes.reserve(count);
  for (auto it = placed.begin(); it != placed.end();) {
    const auto end = end_of_node(it);
    auto& members = nodes.emplace_back();
    members.reserve(static_cast<std::size_t>(end - it));
    for (; it != end; ++it) members.push_back(it->second);
  }
  std::sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.back() < b.back(); });
  return nodes;
}

}  // namespace starling
