#include "report_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "algos/catalogue.h"
#include "algos/tree_search.h"
#include "base/printable.h"
#include "base/signature_names.h"
#include "base/text_format.h"
#include "call_player.h"
#include "simulator/simulated_choice.h"
#include "summary/candidate_summary.h"
#include "summary/recorded_patterns.h"
#include "timeline.h"
#include "tuner/recorded_costs.h"
#include "tuner/virtual_ranks.h"

namespace starling::cli {
namespace {

// All that a call is simulated with, by rank.
struct CallConditions {
  CostModel model;
  Topology topology;
  std::vector<Seconds> lateness;
  std::int64_t bytes = 0;
  bool commutative = true;
};

// One algorithm's call, by virtual rank.
struct PlayedCall {
  Choice choice;
  std::vector<std::int32_t> table;
  std::vector<Seconds> arrivals;
  SimulatedCall call;

  Seconds postArrival() const { return postArrivalTime(call, arrivals); }
};

std::vector<std::int32_t> identityTable(std::size_t ranks) {
  std::vector<std::int32_t> table(ranks);
  std::iota(table.begin(), table.end(), 0);
  return table;
}

// The vector is cut into bytes, not elements, which moves the bounds of its parts and nothing else. Parameters that
// follow from the costs are set where `is_usual`. Errors: a choice that is not valid, or has no schedule.
Result<PlayedCall> played(const CallConditions& conditions, Choice choice, std::vector<std::int32_t> table,
                          bool is_usual) {
  Topology topology = conditions.topology;
  const auto ranks = static_cast<std::int32_t>(conditions.lateness.size());
  if (tellsApart(&topology)) topology.trees = topologyTrees(&topology, ranks, std::min(kMaxTrees, ranks));
  topology = arranged(topology, table);
  const Shape shape{ranks, conditions.bytes, conditions.commutative, &topology};
  const Algorithm& row = *findAlgorithm(choice.algorithm);
  if (row.build == nullptr || !isValid(row, shape)) return Status::error("it has no schedule here");
  if (is_usual) {
    setStepTime(choice, shape, Bytes{1}, conditions.model);
    setBestSegments(choice, shape, Bytes{1}, conditions.model);
  }
  PlayedCall one{.choice = choice, .table = std::move(table), .arrivals = {}, .call = {}};
  std::vector<std::int64_t> lateness_ns;
  for (const std::int32_t rank : one.table) {
    one.arrivals.push_back(conditions.lateness[static_cast<std::size_t>(rank)]);
    lateness_ns.push_back(toNanoseconds(one.arrivals.back()));
  }
  Result<SimulatedCall> call = simulateChoice(choice, shape, Bytes{1}, conditions.model, one.arrivals, lateness_ns);
  if (!call.isOk()) return call.status();
  one.call = std::move(call).value();
  return one;
}

// Returns what comes nearest to `measured` of the algorithms that MPI libraries have; empty where none is valid.
std::optional<PlayedCall> standInForNative(const CallConditions& conditions, double measured) {
  std::optional<PlayedCall> nearest;
  const auto distance = [measured](const PlayedCall& one) {
    return std::abs(std::log(std::max(one.postArrival().value, 1e-12) / measured));
  };
  for (const Algorithm& row : catalogue()) {
    if (!row.openmpi_is_same) continue;
    Result<PlayedCall> one =
        played(conditions, {row.id, defaultParameters(row)}, identityTable(conditions.lateness.size()), true);
    if (one.isOk() && (!nearest || distance(one.value()) < distance(*nearest))) nearest = std::move(one).value();
  }
  return nearest;
}

Result<CallConditions> conditionsOf(const Evidence& evidence) {
  const CommunicatorRecord& communicator = evidence.key.row.communicator;
  if (communicator.size > kDrawnRanks) {
    return Status::error(fmt::format("Calls are drawn of up to {} ranks.", kDrawnRanks));
  }
  if (evidence.key.row.key.bytes > kMostSimulatedBytes) return Status::error("Calls are drawn of up to 1 TiB.");
  const std::optional<CostModel> model = recordedCosts(communicator);
  const std::optional<Topology> topology = recordedTopology(communicator);
  if (!model || !topology) return Status::error("What messages cost was not recorded, so no call can be simulated.");
  const std::vector<RecordedPattern> patterns =
      recordedPatterns(evidence.arrivals, evidence.histograms, communicator.size);
  if (patterns.empty()) return Status::error("No arrivals were recorded, so no call can be simulated.");
  const KeyRecord& key = evidence.key.row.key;
  return CallConditions{.model = *model,
                        .topology = *topology,
                        .lateness = joinedPatterns(patterns, 1).front().lateness,
                        .bytes = key.bytes,
                        .commutative = key.id.operation != kUserNonCommutativeOperation};
}

// Returns what is drawn in the first place: what is in force, or, where that is native, the fastest other row.
Result<PlayedCall> playedPlan(const Evidence& evidence, const CallConditions& conditions) {
  const KeyRecord& key = evidence.key.row.key;
  std::string text = key.choice;
  for (const CandidateSummary& one : summarizeCandidates(evidence.observations)) {
    if (text != kNativeName) break;
    if (one.compared().mean) text = one.choice;
  }
  const Result<Choice> choice = parseChoice(text);
  if (!choice.isOk()) return choice.status();
  if (choice.value().algorithm == kNativeAlgorithm) {
    return Status::error("Nothing but native was measured, of which no schedule is known.");
  }
  std::vector<std::int32_t> table = identityTable(conditions.lateness.size());
  if (key.table.size() == table.size() && isPermutation(key.table)) table = key.table;
  return played(conditions, choice.value(), std::move(table), false);
}

Json drawingJson(const PlayedCall& one, const std::string& title, Seconds end) {
  const std::vector<std::string> lines = timelineRows(one.call, one.arrivals, end, kDrawnWidth);
  std::map<std::int32_t, std::string> by_rank;
  for (std::size_t i = 0; i < lines.size(); ++i) by_rank[one.table[i]] = lines[i];
  Json rows = Json::array();
  for (const auto& [rank, line] : by_rank) rows.push_back({{"rank", rank}, {"line", line}});
  return {{"title", fmt::format("{}: post-arrival time {}", title, formatDuration(one.postArrival()))},
          {"rows", std::move(rows)}};
}

}  // namespace

Json drawnCall(const Evidence& evidence) {
  const Result<CallConditions> conditions = conditionsOf(evidence);
  if (!conditions.isOk()) return {{"why_not", printable(conditions.status().message())}};
  const Result<PlayedCall> plan = playedPlan(evidence, conditions.value());
  if (!plan.isOk()) return {{"why_not", printable(plan.status().message())}};
  const bool is_in_force = evidence.key.row.key.choice != kNativeName;
  const std::string name = formatChoice(plan.value().choice) + (is_in_force ? ", in force" : ", not in force");
  std::string note = "Simulated with the costs that were probed; ranks come as they did on average.";
  if (runsInMemory(plan.value().choice.algorithm)) {
    note += fmt::format(" {} copies through memory: messages that take as long stand for its copies.",
                        findAlgorithm(plan.value().choice.algorithm)->name);
  }
  const std::vector<CandidateSummary> candidates = summarizeCandidates(evidence.observations);
  const CandidateSummary* native = findCandidate(candidates, kNativeName);
  std::optional<PlayedCall> beside;
  if (native != nullptr && native->post_arrival.mean && *native->post_arrival.mean > 0.0) {
    beside = standInForNative(conditions.value(), *native->post_arrival.mean);
  }
  Seconds end = plan.value().call.lastExit();
  if (beside) end = std::max(end, beside->call.lastExit());
  Json json{{"end", end.value}, {"drawings", Json::array()}};
  json["drawings"].push_back(drawingJson(plan.value(), name, end));
  if (beside) {
    const std::string stand_in = formatChoice(beside->choice);
    json["drawings"].push_back(drawingJson(*beside, fmt::format("native, as if it were {}", stand_in), end));
    note += fmt::format(
        " How native goes about a call is not known: of the algorithms that Open MPI has, {} comes nearest to the {} "
        "that native was measured to take.",
        stand_in, formatDuration(native->post_arrival.mean));
  }
  json["note"] = note;
  return json;
}

}  // namespace starling::cli
