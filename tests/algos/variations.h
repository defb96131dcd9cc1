// What the tests of all rows vary: counts, arrivals, topologies and parameters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "algos/flagged.h"
#include "algos/tree_search.h"
#include "schedules.h"

namespace starling {

inline constexpr std::int64_t kLongestLateness = 1'000'000;

// What is proved of all rows is a matter of logic, and is proved for so many ranks in optimised code; sanitizers, which
// make it several times as long, have seen all code after a part of it.
#ifdef STARLING_SANITIZED
inline constexpr std::int32_t kProvedRanks = 9;
#else
inline constexpr std::int32_t kProvedRanks = 64;
#endif

inline std::vector<const Algorithm*> rowsWithBuilders() {
  std::vector<const Algorithm*> rows;
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.build != nullptr) rows.push_back(&algorithm);
  }
  return rows;
}

inline std::set<std::int64_t> countsFor(std::int32_t ranks) { return {0, 1, ranks - 1, ranks, ranks + 1, 1000}; }

// On time for all rows; where the schedule depends on it also one late rank, and, where it depends on more than that, a
// random order and that order sorted.
inline std::vector<std::vector<std::int64_t>> patternsFor(const Algorithm& algorithm, std::int32_t ranks,
                                                          std::mt19937& random) {
  std::vector<std::vector<std::int64_t>> patterns{{}};
  if (!algorithm.uses_arrivals) return patterns;
  std::vector<std::int64_t> one_late(ranks, 0);
  one_late.back() = kLongestLateness;
  patterns.push_back(one_late);
  if (algorithm.uses_only_any_late) return patterns;
  const std::vector<std::int64_t> unsorted = randomLateness(ranks, kLongestLateness, random);
  std::vector<std::int64_t> sorted = unsorted;
  std::sort(sorted.begin(), sorted.end());
  patterns.insert(patterns.end(), {unsorted, sorted});
  return patterns;
}

// None for all rows; where the schedule depends on it also nodes of two ranks, two nodes of which one has a single
// rank, and links some of which there are not.
inline std::vector<Topology> topologiesFor(const Algorithm& algorithm, std::int32_t ranks, std::mt19937& random) {
  std::vector<Topology> topologies{{}};
  if (algorithm.suits_topology == nullptr) return topologies;
  Topology pairs;
  Topology uneven;
  Topology sparse;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    pairs.nodes.push_back(rank / 2);
    uneven.nodes.push_back(rank == ranks / 2 ? 7 : 3);
  }
  sparse.links.assign(static_cast<std::size_t>(ranks) * ranks, 0);
  std::uniform_int_distribution<std::int32_t> weight(-2, 3);
  for (std::int32_t a = 0; a < ranks; ++a) {
    for (std::int32_t b = 0; b < a; ++b) {
      sparse.links[a * ranks + b] = sparse.links[b * ranks + a] = std::max(weight(random), 0);
    }
  }
  topologies.insert(topologies.end(), {pairs, uneven, sparse});
  // A communicator makes its trees once; without them each rank makes them for itself, which takes long for many ranks.
  constexpr std::int32_t kMostForItself = 12;
  if (ranks <= kMostForItself || algorithm.suits_topology != tellsApart) return topologies;
  for (Topology& topology : topologies) topology.trees = topologyTrees(&topology, ranks, std::min(kMaxTrees, ranks));
  return topologies;
}

enum class Vary { kSteps, kAll };  // window and pacing are no part of the steps

inline std::vector<std::int64_t> valuesFor(const Parameter& parameter, std::int32_t ranks, Vary vary,
                                           bool has_many_cases) {
  const std::string name = parameter.name;
  std::set<std::int64_t> values{parameter.fallback};
  if (name == "segments") values.insert({1, 3});
  // More segments than elements; rows with many patterns or topologies would take minutes for what others show as well.
  if (name == "segments" && !has_many_cases) values.insert(2 * std::int64_t{ranks});
  if ((name == "window" || name == "pacing") && vary == Vary::kAll) values.insert({1, 8});
  const bool is_time = std::string_view(parameter.unit) == "ns";
  if (is_time) values.insert(kLongestLateness / 50);
  // Flags are exchanged before a schedule is built. What else a row has is its own: a few small values.
  const bool is_own =
      !is_time && name != "segments" && name != "window" && name != "pacing" && name != kFlaggedParameter;
  if (is_own) values.insert({1, 2, 3});
  // A chunk has one before it and one after.
  if (name == kChunksParameter) values = {1, 3};
  // These are all that `two_level` may run between the nodes.
  if (name == "inner") values.insert({4, 5, 6});
  std::set<std::int64_t> in_range;
  for (const std::int64_t value : values) in_range.insert(std::clamp(value, parameter.minimum, parameter.maximum));
  return {in_range.begin(), in_range.end()};
}

// Every combination of valuesFor().
inline std::vector<Choice> variationsOf(const Algorithm& algorithm, std::int32_t ranks, Vary vary) {
  const bool has_many_cases = algorithm.uses_arrivals || algorithm.suits_topology != nullptr;
  std::vector<Choice> choices{{algorithm.id, defaultParameters(algorithm)}};
  for (std::size_t i = 0; i < algorithm.parameters.size(); ++i) {
    std::vector<Choice> varied;
    for (Choice choice : choices) {
      for (const std::int64_t value : valuesFor(algorithm.parameters[i], ranks, vary, has_many_cases)) {
        choice.parameters[i] = value;
        varied.push_back(choice);
      }
    }
    choices = varied;
  }
  // What takes most steps does the same for each share: all leaders of a node, or one, show it. What goes chunk by
  // chunk does so for all that may run between the nodes: those show it that the tuner tries. Where a row has no
  // segments their number makes no difference.
  const auto value_of = [&](const Choice& choice, std::string_view name) {
    const std::optional<std::size_t> index = findParameter(algorithm, name);
    return index ? choice.parameters[*index] : 0;
  };
  const std::int64_t usual_segments = value_of({algorithm.id, defaultParameters(algorithm)}, kSegmentsParameter);
  std::erase_if(choices, [&](const Choice& choice) {
    const bool is_cut = value_of(choice, kChunksParameter) > 1;
    const std::int64_t inner = value_of(choice, "inner");
    if (is_cut && (inner == 2 || inner == 4 || value_of(choice, kMemoryParameter) == 0)) return true;
    const bool has_segments = hasSegments(algorithm, choice.parameters);
    const bool are_usual = value_of(choice, kSegmentsParameter) == usual_segments;
    if (!are_usual && (!has_segments || is_cut || value_of(choice, "leaders") > 0)) return true;
    return (is_cut || inner > 3) && value_of(choice, "leaders") > 1;
  });
  return choices;
}

// Returns the row with its defaults, and, where these cut the vector into no segments, choices in which it does so.
inline std::vector<Choice> segmentedChoices(const Algorithm& algorithm) {
  const Choice usual{algorithm.id, defaultParameters(algorithm)};
  const std::optional<std::size_t> inner = findParameter(algorithm, "inner");
  std::vector<Choice> choices{usual};
  if (hasSegments(algorithm, usual.parameters) || !inner) return choices;
  for (std::int64_t value = algorithm.parameters[*inner].minimum; value <= algorithm.parameters[*inner].maximum;
       ++value) {
    Choice choice = usual;
    choice.parameters[*inner] = value;
    if (hasSegments(algorithm, choice.parameters)) choices.push_back(choice);
  }
  return choices;
}

}  // namespace starling
