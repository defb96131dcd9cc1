#include "simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>

#include "algos/catalogue.h"
#include "algos/tree_search.h"
#include "choices.h"
#include "simulator/fewer_ranks.h"
#include "simulator/simulated_choice.h"

namespace starling::cli {
namespace {

constexpr const char* kRing = "ring";

// Returns the topology by virtual rank, with its trees made.
Topology topologyOf(const Scenario& scenario, std::span<const std::int32_t> table) {
  Topology topology{.nodes = scenario.nodes,
                    .links = scenario.links,
                    .shares_memory = scenario.shares_memory,
                    .reads_memory = scenario.reads_memory};
  if (scenario.nodes.empty() && scenario.ranks_per_node > 1) {
    for (std::int32_t rank = 0; rank < scenario.ranks; ++rank) {
      topology.nodes.push_back(rank / scenario.ranks_per_node);
    }
  }
  if (tellsApart(&topology) && scenario.ranks <= kMaxLinkedRanks) {
    topology.trees = topologyTrees(&topology, scenario.ranks, std::min(kMaxTrees, scenario.ranks));
  }
  return arranged(topology, table);
}

Result<std::vector<Seconds>> latenessByRank(const Scenario& scenario) {
  std::vector<Seconds> lateness(static_cast<std::size_t>(scenario.ranks));
  std::vector<bool> named(lateness.size(), false);
  for (const LateRank& late : scenario.late) {
    if (late.rank >= scenario.ranks) {
      return Status::error(fmt::format("rank {} cannot be late: there are {} ranks, 0 to {}", late.rank, scenario.ranks,
                                       scenario.ranks - 1));
    }
    const auto index = static_cast<std::size_t>(late.rank);
    if (named[index]) return Status::error(fmt::format("rank {} is given two latenesses: give one", late.rank));
    named[index] = true;
    lateness[index] = late.lateness;
  }
  return lateness;
}

// Puts the latest rank last when sorted; ranks that come together keep their order.
std::vector<std::int32_t> tableOf(const Scenario& scenario, const std::vector<Seconds>& lateness) {
  std::vector<std::int32_t> table(lateness.size());
  std::iota(table.begin(), table.end(), 0);
  if (scenario.sorted) {
    std::stable_sort(table.begin(), table.end(), [&](std::int32_t a, std::int32_t b) {
      return lateness[static_cast<std::size_t>(a)] < lateness[static_cast<std::size_t>(b)];
    });
  }
  return table;
}

Seconds meanOf(const std::vector<Seconds>& times) {
  Seconds sum;
  for (const Seconds time : times) sum += time;
  return Seconds{sum.value / static_cast<double>(times.size())};
}

Result<Prediction> predict(const Scenario& scenario, const Shape& shape, const Choice& choice,
                           const std::vector<Seconds>& arrivals) {
  std::vector<std::int64_t> lateness_ns;
  for (const Seconds arrival : arrivals) lateness_ns.push_back(toNanoseconds(arrival));
  const auto failed = [&](const Status& status) {
    return Status::error(formatChoice(choice) + ": " + status.message());
  };
  Prediction prediction;
  prediction.choice = formatChoice(choice);
  if (scenario.predicted) {
    const Result<Seconds> time =
        predictPostArrivalTime({choice, shape, scenario.element_size, scenario.model, arrivals, lateness_ns});
    if (!time.isOk()) return failed(time.status());
    prediction.post_arrival = time.value();
  } else {
    Result<SimulatedCall> call =
        simulateChoice(choice, shape, scenario.element_size, scenario.model, arrivals, lateness_ns);
    if (!call.isOk()) return failed(call.status());
    prediction.post_arrival = postArrivalTime(call.value(), arrivals);
    prediction.call = std::move(call).value();
    prediction.transfer_count = prediction.call.transfers.size();
  }
  prediction.elapsed = prediction.post_arrival + *std::ranges::max_element(arrivals) - meanOf(arrivals);
  return prediction;
}

// Says why the row cannot be simulated here; empty when it can.
std::string obstacle(const Algorithm& row, const Shape& shape) {
  if (row.build == nullptr) return fmt::format("{} has no schedule: it is the MPI library's own", row.name);
  if (!shape.commutative && !row.keeps_rank_order) {
    return fmt::format("{} changes the order of ranks, which an operation that does not commute forbids", row.name);
  }
  if (!isValid(row, shape)) {
    return fmt::format("{} is not valid for {} ranks and {} elements: {}", row.name, shape.ranks, shape.count,
                       row.valid_text);
  }
  if (shape.topology != nullptr && !isAllowed(row, *shape.topology)) {
    return fmt::format("{} needs ranks that may read each other's memory; these may not, as far as is known", row.name);
  }
  return "";
}

UsualChoices usualFor(const Scenario& scenario, const Shape& shape) {
  UsualChoices chosen;
  for (const Algorithm& row : catalogue()) {
    const std::string why_not = obstacle(row, shape);
    if (!why_not.empty()) {
      chosen.skipped.push_back(why_not);
      continue;
    }
    Choice choice{row.id, defaultParameters(row)};
    setStepTime(choice, shape, scenario.element_size, scenario.model);
    setBestSegments(choice, shape, scenario.element_size, scenario.model);
    chosen.choices.push_back(choice);
  }
  return chosen;
}

Result<UsualChoices> choose(const Scenario& scenario, const Shape& shape, const std::vector<std::string>& texts) {
  if (texts.empty()) return usualFor(scenario, shape);
  UsualChoices chosen;
  for (const std::string& text : texts) {
    Result<Choice> choice = parseChoice(text);
    if (!choice.isOk()) return choice.status();
    const std::string why_not = obstacle(*findAlgorithm(choice.value().algorithm), shape);
    if (!why_not.empty()) return Status::error(why_not);
    if (!namesStepTime(text)) setStepTime(choice.value(), shape, scenario.element_size, scenario.model);
    chosen.choices.push_back(choice.value());
  }
  return chosen;
}

Result<std::optional<Prediction>> predictRing(const Scenario& scenario, const Shape& shape,
                                              const std::vector<Seconds>& arrivals) {
  const Algorithm* row = findAlgorithm(kRing);
  if (row == nullptr || !obstacle(*row, shape).empty()) return std::optional<Prediction>();
  Result<Prediction> ring = predict(scenario, shape, Choice{row->id, defaultParameters(*row)}, arrivals);
  if (!ring.isOk()) return ring.status();
  return std::optional<Prediction>(std::move(ring).value());
}

void relate(const Scenario& scenario, const Prediction& ring, Prediction& prediction) {
  if (prediction.post_arrival.value > 0.0) prediction.ratio_to_ring = ring.post_arrival / prediction.post_arrival;
  if (prediction.elapsed.value > 0.0) prediction.elapsed_ratio_to_ring = ring.elapsed / prediction.elapsed;
  const Seconds wire{static_cast<double>(scenario.count * scenario.element_size.value) * scenario.model.beta};
  const Seconds saving = ring.post_arrival - wire;
  if (saving.value > 0.0) prediction.share_of_saving = (ring.post_arrival - prediction.post_arrival) / saving;
}

Result<Comparison> simulateChoices(const Scenario& scenario, const std::vector<std::string>& texts,
                                   bool keeps_transfers) {
  if (scenario.ranks < 1)
    return Status::error(fmt::format("{} ranks cannot be simulated: give 1 or more", scenario.ranks));
  const auto ranks = static_cast<std::size_t>(scenario.ranks);
  if (!scenario.links.empty() && scenario.links.size() != ranks * ranks) {
    return Status::error(fmt::format("the links are not those of {} ranks: give a row and a column for each", ranks));
  }
  const Result<std::vector<Seconds>> lateness = latenessByRank(scenario);
  if (!lateness.isOk()) return lateness.status();

  Comparison comparison;
  comparison.table = tableOf(scenario, lateness.value());
  for (const std::int32_t rank : comparison.table) {
    comparison.arrivals.push_back(lateness.value()[static_cast<std::size_t>(rank)]);
  }
  const Topology topology = topologyOf(scenario, comparison.table);
  const Shape shape{scenario.ranks, scenario.count, scenario.commutative, &topology};
  Result<UsualChoices> chosen = choose(scenario, shape, texts);
  if (!chosen.isOk()) return chosen.status();
  const auto ring = predictRing(scenario, shape, comparison.arrivals);
  if (!ring.isOk()) return ring.status();
  for (const Choice& choice : chosen.value().choices) {
    Result<Prediction> prediction = predict(scenario, shape, choice, comparison.arrivals);
    if (!prediction.isOk()) return prediction.status();
    if (!keeps_transfers) std::vector<Transfer>().swap(prediction.value().call.transfers);
    if (ring.value()) relate(scenario, *ring.value(), prediction.value());
    comparison.predictions.push_back(std::move(prediction).value());
  }
  comparison.skipped = std::move(chosen.value().skipped);
  return comparison;
}

}  // namespace

UsualChoices usualChoices(const Scenario& scenario) {
  const Topology topology = topologyOf(scenario, {});
  return usualFor(scenario, {scenario.ranks, scenario.count, scenario.commutative, &topology});
}

Result<Comparison> compare(const Scenario& scenario, const std::vector<std::string>& choices) {
  Result<Comparison> comparison = simulateChoices(scenario, choices, false);
  if (!comparison.isOk()) return comparison.status();
  std::vector<Prediction>& predictions = comparison.value().predictions;
  std::stable_sort(predictions.begin(), predictions.end(),
                   [](const Prediction& a, const Prediction& b) { return a.post_arrival < b.post_arrival; });
  return comparison;
}

Result<Comparison> trace(const Scenario& scenario, const std::vector<std::string>& choices) {
  return simulateChoices(scenario, choices, true);
}

}  // namespace starling::cli
