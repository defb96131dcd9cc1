#include "outlook.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_format.h"

namespace starling::cli {
namespace {

std::string methodOf(const RankArrival& rank) {
  std::string name = rank.method;
  std::ranges::replace(name, '_', ' ');
  return rank.error ? fmt::format("{}, off by {} on average", name, formatDuration(*rank.error)) : name;
}

// Tells whether candidates are tried, as far as the key's state says it.
bool triesCandidates(const KeyRecord& key) { return key.state == "exploring" || key.state == "settled"; }

std::string describePredicted(const KeyRecord& key, const RankArrival& latest) {
  const char* consequence = key.choice == kNativeName
                                ? "plans that follow it are candidates, but native is in force, which does not"
                                : "the plan follows it";
  return fmt::format("Rank {} is predicted late by {} ({}): {}.", latest.rank, formatDuration(latest.predicted),
                     methodOf(latest), consequence);
}

std::string describeUnpredictable(const KeyRecord& key, std::span<const RankArrival> ranks) {
  const auto worst = std::ranges::max_element(ranks, {}, &RankArrival::error);
  // Where ranks are late in some calls only, forecasts of the others are near what comes.
  constexpr double kTellingShare = 0.5;
  const bool is_telling = worst->error && worst->error->value >= kTellingShare * key.imbalance.value_or(0.0);
  const std::string error = is_telling ? fmt::format(" (the latest forecasts of a rank are off by up to {} on average)",
                                                     formatDuration(*worst->error))
                                       : "";
  return fmt::format(
      "The latest rank is late by {} on average, but who is late in a call, and by how much, cannot be forecast well "
      "enough{}: algorithms with flags in the call {} candidates.",
      formatDuration(key.imbalance), error, triesCandidates(key) ? "are" : "would be");
}

}  // namespace

std::vector<std::string> describeOutlook(const KeyRecord& key, std::span<const RankArrival> ranks) {
  std::vector<std::string> sentences;
  if (!key.cycle.empty()) {
    sentences.push_back(fmt::format(
        "Calls repeat (periodic): what is told here is of {}; the others have a plan of their own.", key.cycle));
  }
  if (ranks.empty()) return sentences;
  if (key.outlook == "predicted") {
    sentences.push_back(describePredicted(key, *std::ranges::max_element(ranks, {}, &RankArrival::predicted)));
  } else if (key.outlook == "unpredictable") {
    sentences.push_back(describeUnpredictable(key, ranks));
  } else if (key.outlook == "on_time") {
    sentences.emplace_back(
        "No rank is late by more than noise as a rule: there is nothing for a plan to follow, "
        "and algorithms with flags in the call are no candidates.");
  }
  return sentences;
}

}  // namespace starling::cli
