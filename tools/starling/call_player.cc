#include "call_player.h"

#include <algorithm>
#include <vector>

#include "base/signature_names.h"
#include "element_type.h"

namespace starling::cli {
namespace {

// A call of more ranks is predicted from fewer.
constexpr std::int32_t kMostInFull = 64;

}  // namespace

bool canBeSimulated(const std::string& choice, const UsualChoices& usual) {
  const Result<Choice> parsed = parseChoice(choice);
  return parsed.isOk() && std::ranges::any_of(usual.choices, [&](const Choice& valid) {
           return valid.algorithm == parsed.value().algorithm;
         });
}

CallPlayer::CallPlayer(const KeyRecord& key, const CostModel& model, const Topology& topology, std::int32_t ranks) {
  // Types of other sizes are simulated byte by byte, which moves the bounds of blocks and nothing else.
  const Result<Bytes> element = parseElementType(key.id.type);
  scenario_.ranks = ranks;
  scenario_.element_size = element.isOk() ? element.value() : Bytes{1};
  scenario_.count = key.bytes / scenario_.element_size.value;
  scenario_.model = model;
  scenario_.nodes = topology.nodes;
  scenario_.shares_memory = topology.shares_memory;
  scenario_.reads_memory = topology.reads_memory;
  scenario_.commutative = key.id.operation != kUserNonCommutativeOperation;
  scenario_.sorted = scenario_.commutative;
  scenario_.predicted = ranks > kMostInFull;
}

Result<PlayedTimes> CallPlayer::times(PlayedPatterns patterns, std::span<const std::string> choices) const {
  PlayedTimes times;
  for (const std::string& choice : choices) {
    std::vector<Seconds> found;
    for (const RecordedPattern& pattern : patterns) {
      const Result<Comparison> comparison = compare(under(pattern), {choice});
      if (!comparison.isOk()) return comparison.status();
      found.push_back(comparison.value().predictions.front().post_arrival);
    }
    auto next = found.begin();
    times[choice] = meanOver(patterns, [&](const RecordedPattern&) { return *next++; });
  }
  return times;
}

Scenario CallPlayer::under(const RecordedPattern& pattern) const {
  Scenario scenario = scenario_;
  for (std::int32_t rank = 0; rank < scenario.ranks; ++rank) {
    scenario.late.push_back({rank, pattern.lateness[static_cast<std::size_t>(rank)]});
  }
  return scenario;
}

}  // namespace starling::cli
