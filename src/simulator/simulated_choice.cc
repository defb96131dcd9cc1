#include "simulator/simulated_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "algos/build_notes.h"
#include "algos/flagged.h"
#include "algos/schedule_bytes.h"

namespace starling {
namespace {

std::span<const std::int32_t> nodesOf(const Shape& shape) {
  if (shape.topology == nullptr) return {};
  return shape.topology->nodes;
}

// Holds what the exchange of flags makes of the arrivals: who is named, and when each rank knows it.
struct Flagging {
  std::vector<std::int32_t> flagged;
  std::vector<Seconds> known;
};

Flagging flagLate(std::int32_t late, const CostModel& model, std::span<const Seconds> arrivals) {
  const std::size_t ranks = arrivals.size();
  std::vector<std::int32_t> others(ranks - 1);
  std::iota(others.begin(), others.end(), 1);
  std::stable_sort(others.begin(), others.end(),
                   [&](std::int32_t a, std::int32_t b) { return arrivals[a] < arrivals[b]; });
  Flagging flagging;
  flagging.flagged.assign(others.end() - late, others.end());
  others.resize(others.size() - late);
  Seconds names_sent = arrivals.front();
  if (!others.empty()) names_sent = std::max(names_sent, arrivals[others.back()] + model.alpha);
  flagging.known.assign(arrivals.begin(), arrivals.end());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const Seconds sent = names_sent + static_cast<double>(rank) * model.overhead;
    flagging.known[rank] = std::max(flagging.known[rank], rank == 0 ? sent : sent + model.alpha);
  }
  return flagging;
}

std::int64_t ranksOfLargestNode(const Topology& topology) {
  std::vector<std::int32_t> nodes = topology.nodes;
  std::ranges::sort(nodes);
  std::int64_t most = 1;
  for (auto first = nodes.begin(); first != nodes.end();) {
    const auto end = std::upper_bound(first, nodes.end(), *first);
    most = std::max<std::int64_t>(most, end - first);
    first = end;
  }
  return most;
}

// Returns the costs that hold for the choice: what goes through shared memory has its own, where there is some. There a
// rank hands something to all others at once, in CostModel::node_alpha; schedules have a message for each of them, one
// after the other, which therefore take a part of that.
CostModel costsOf(const Choice& choice, const Shape& shape, const CostModel& model) {
  if (shape.topology == nullptr || !shape.topology->shares_memory || model.node_alpha <= Seconds{}) return model;
  const std::int64_t others = std::max<std::int64_t>(ranksOfLargestNode(*shape.topology) - 1, 1);
  const Seconds alpha = 1.0 / static_cast<double>(others) * model.node_alpha;
  if (runsInMemory(choice.algorithm) && sharesOneMemory(shape.topology)) {
    if (choice.algorithm == kNodeAlgorithm || model.read_alpha <= Seconds{}) {
      return {.alpha = alpha, .beta = model.node_beta, .gamma = model.gamma};
    }
    const Seconds read_alpha = 1.0 / static_cast<double>(others) * model.read_alpha;
    return {.alpha = read_alpha, .beta = model.read_beta, .gamma = model.gamma};
  }
  CostModel changed = model;
  if (usesMemoryOfNodes(choice)) {
    changed.inner_alpha = alpha;
    changed.inner_beta = model.node_beta;
  }
  return changed;
}

// Takes away segments, parameter `index`, until the schedule is one that may be planned. Its bytes grow evenly with
// them.
void limitBytes(Choice& choice, const Shape& shape, std::size_t index) {
  const auto bytes_with = [&](std::int64_t segments) {
    ParameterValues parameters = choice.parameters;
    parameters[index] = segments;
    return scheduleBytes(*findAlgorithm(choice.algorithm), shape, parameters);
  };
  std::int64_t& segments = choice.parameters[index];
  const std::int64_t too_much = bytes_with(segments) - kMostScheduleBytes;
  if (too_much <= 0) return;
  const std::int64_t fewer = segments / 2;
  const std::int64_t per_segment =
      (bytes_with(segments) - bytes_with(fewer)) / std::max<std::int64_t>(segments - fewer, 1);
  segments = std::max<std::int64_t>(segments - too_much / std::max<std::int64_t>(per_segment, 1) - 1, 1);
}

}  // namespace

std::vector<Schedule> buildAll(const Choice& choice, const Shape& shape, std::span<const std::int64_t> lateness_ns,
                               std::pmr::memory_resource* memory) {
  const Algorithm& algorithm = *findAlgorithm(choice.algorithm);
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(shape.ranks));
  BuildNotes notes(memory);
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    schedules.push_back(buildSchedule(algorithm, {.shape = shape,
                                                  .virtual_rank = rank,
                                                  .parameters = choice.parameters,
                                                  .lateness_ns = lateness_ns,
                                                  .memory = memory,
                                                  .notes = &notes}));
  }
  return schedules;
}

Result<SimulatedCall> simulateChoice(const Choice& choice, const Shape& shape, Bytes element_size,
                                     const CostModel& model, std::span<const Seconds> arrivals,
                                     std::span<const std::int64_t> lateness_ns, const SimulationScope& scope) {
  const std::int32_t late = flaggedRanks(choice, shape.ranks);
  if (late == 0) {
    return simulate(buildAll(choice, shape, lateness_ns, scope.memory), element_size, costsOf(choice, shape, model),
                    arrivals, nodesOf(shape), scope);
  }
  const Flagging flagging = flagLate(late, model, arrivals);
  FlaggedArrangement arranged;
  arranged.arrange(shape.ranks, {}, flagging.flagged, !shape.commutative);
  const auto rank_at = [&](std::int32_t place) { return arranged.table.empty() ? place : arranged.table[place]; };
  std::vector<Seconds> known;
  for (std::int32_t place = 0; place < shape.ranks; ++place) known.push_back(flagging.known[rank_at(place)]);
  const Topology moved = shape.topology != nullptr ? starling::arranged(*shape.topology, arranged.table) : Topology{};
  Shape placed = shape;
  if (shape.topology != nullptr) placed.topology = &moved;
  const std::vector<Schedule> schedules = buildAll(choice, placed, arranged.lateness_ns, scope.memory);
  std::vector<StandIn> stand_ins;
  for (std::int32_t place = 0; place < std::ssize(scope.stand_ins); ++place) {
    stand_ins.push_back(scope.stand_ins[rank_at(place)]);
  }
  SimulationScope placed_scope = scope;
  placed_scope.stand_ins = stand_ins;
  Result<SimulatedCall> call = simulate(schedules, element_size, model, known, nodesOf(placed), placed_scope);
  if (!call.isOk()) return call;
  SimulatedCall renamed = std::move(call).value();
  const std::vector<Seconds> exits = renamed.exits;
  for (std::int32_t place = 0; place < shape.ranks; ++place) renamed.exits[rank_at(place)] = exits[place];
  for (Transfer& transfer : renamed.transfers) {
    transfer.source = rank_at(transfer.source);
    transfer.target = rank_at(transfer.target);
  }
  return renamed;
}

bool namesStepTime(std::string_view choice) {
  const auto names = [choice](std::string_view parameter) {
    return choice.find(std::string(parameter) + "=") != std::string_view::npos;
  };
  return names(kStepTimeParameter) || names(kVectorTimeParameter);
}

void setStepTime(Choice& choice, const Shape& shape, Bytes element_size, const CostModel& model) {
  const Algorithm& algorithm = *findAlgorithm(choice.algorithm);
  const auto set = [&](std::string_view name, Seconds time) {
    const std::optional<std::size_t> index = findParameter(algorithm, name);
    if (!index) return;
    const Parameter& parameter = algorithm.parameters[*index];
    choice.parameters[*index] = std::clamp(toNanoseconds(time), parameter.minimum, parameter.maximum);
  };
  const auto bytes = static_cast<double>(shape.count * element_size.value);
  set(kStepTimeParameter, Seconds{model.alpha.value + model.beta * bytes / shape.ranks});
  set(kVectorTimeParameter, Seconds{model.alpha.value + (model.beta + model.gamma) * bytes});
}

double transfersOf(const Shape& shape, Bytes element_size, const CostModel& model) {
  return static_cast<double>(shape.count * element_size.value) * model.beta / model.alpha.value;
}

void setBestSegments(Choice& choice, const Shape& shape, Bytes element_size, const CostModel& model) {
  const Algorithm& algorithm = *findAlgorithm(choice.algorithm);
  const std::optional<std::size_t> index = findParameter(algorithm, kSegmentsParameter);
  if (!index || algorithm.best_segments == nullptr || shape.ranks < 2 || model.alpha <= Seconds{}) return;
  const std::optional<double> best =
      algorithm.best_segments(shape, choice.parameters, transfersOf(shape, element_size, model));
  if (!best) {
    choice.parameters[*index] = algorithm.parameters[*index].fallback;
    return;
  }
  const std::int64_t most = std::min(algorithm.parameters[*index].maximum, std::max<std::int64_t>(shape.count, 1));
  choice.parameters[*index] = std::llround(std::clamp(*best, 1.0, static_cast<double>(most)));
  limitBytes(choice, shape, *index);
}

void setBestChunks(Choice& choice, const Shape& shape, Bytes element_size, const CostModel& model) {
  const Algorithm& algorithm = *findAlgorithm(choice.algorithm);
  const std::optional<std::size_t> index = findParameter(algorithm, kChunksParameter);
  if (!index || shape.topology == nullptr || !shape.topology->shares_memory || model.alpha <= Seconds{}) return;
  const double bytes = static_cast<double>(shape.count * element_size.value);
  // The vector is copied in and combined, and copied out again.
  const double copying = 2.0 * model.node_beta + model.gamma;
  choice.parameters[*index] = 1;
  const double best = algorithm.best_chunks(shape, choice.parameters, transfersOf(shape, element_size, model),
                                            bytes * copying / model.alpha.value);
  choice.parameters[*index] = std::llround(best);
  limitBytes(choice, shape, *index);
}

void leaveWhole(Choice& choice) {
  const std::optional<std::size_t> index = findParameter(*findAlgorithm(choice.algorithm), kChunksParameter);
  if (index) choice.parameters[*index] = 1;
}

}  // namespace starling
