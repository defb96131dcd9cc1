#include "simulator/smaller_calls.h"

#include <algorithm>
#include <cmath>
#include <memory_resource>
#include <numeric>
#include <optional>
#include <utility>

#include "algos/flagged.h"
#include "algos/tree_search.h"
#include "simulator/simulated_choice.h"

namespace starling {
namespace {

// A smaller call whose vector asks for many segments is cut to so many steps of all ranks, or, where these would leave
// it fewer than kManySegments, as where several ranks are late, to kMostSteps at most.
constexpr std::int64_t kEnoughSteps = 2'400;
constexpr std::int64_t kMostSteps = 3'200;
constexpr std::int64_t kManySegments = 24;

// How many segments there are does not change how traffic grows.
constexpr std::int64_t kSegmentsOfTraffic = 4;

template <typename Value>
std::vector<Value> pick(std::span<const Value> values, std::span<const SampledRank> ranks) {
  std::vector<Value> picked;
  if (values.empty()) return picked;
  for (const SampledRank& sampled : ranks) picked.push_back(values[sampled.rank]);
  return picked;
}

Topology pick(const Topology& topology, std::int32_t all, std::span<const SampledRank> ranks) {
  Topology picked{.nodes = pick(std::span(topology.nodes), ranks),
                  .shares_memory = topology.shares_memory,
                  .reads_memory = topology.reads_memory};
  if (topology.links.empty()) return picked;
  for (const SampledRank& one : ranks) {
    for (const SampledRank& other : ranks) {
      picked.links.push_back(topology.links[std::int64_t{one.rank} * all + other.rank]);
    }
  }
  return picked;
}

}  // namespace

SmallerCalls::SmallerCalls(const CallToPredict& call, const RankSample& sample)
    : call_(call),
      sample_(sample),
      algorithm_(*findAlgorithm(call.choice.algorithm)),
      usual_(usualFor(call.shape, call.model)),
      of_whole_node_(sample.ranksOfUnit()) {
  growth_ = growthOfTraffic();
}

bool SmallerCalls::isChain() const {
  return algorithm_.chains_ranks != nullptr && algorithm_.chains_ranks(call_.choice.parameters);
}

Choice SmallerCalls::usualFor(const Shape& shape, const CostModel& model) const {
  Choice choice = call_.choice;
  setStepTime(choice, shape, call_.element_size, model);
  setBestSegments(choice, shape, call_.element_size, model);
  return choice;
}

// Parameters that follow from the costs are to the usual ones as they are in the whole call.
Choice SmallerCalls::choiceFor(const Shape& shape, const CostModel& model) const {
  const Choice usual = usualFor(shape, model);
  Choice choice = call_.choice;
  for (std::size_t i = 0; i < algorithm_.parameters.size(); ++i) {
    if (usual.parameters[i] == usual_.parameters[i] || usual_.parameters[i] == 0) continue;
    const double ratio = static_cast<double>(usual.parameters[i]) / static_cast<double>(usual_.parameters[i]);
    const std::int64_t scaled = std::llround(ratio * static_cast<double>(choice.parameters[i]));
    choice.parameters[i] = std::clamp(scaled, algorithm_.parameters[i].minimum, algorithm_.parameters[i].maximum);
  }
  return choice;
}

// Leaves out when the ranks come.
SmallerCalls::Call SmallerCalls::planOf(const SampleSize& size, std::span<const SampledRank> ranks) const {
  Call call;
  if (call_.shape.topology != nullptr) {
    const bool is_whole = std::ssize(ranks) == call_.shape.ranks;
    call.topology = is_whole ? *call_.shape.topology : pick(*call_.shape.topology, call_.shape.ranks, ranks);
  }
  slow(call, size);
  call.ranks = static_cast<std::int32_t>(ranks.size());
  if (isMadeForNodes()) call.sizes = sizesOfNodes(&call.topology, call.ranks);
  call.choice = choiceFor(shapeOf(call), call.model);
  return call;
}

// The first rank asks for flags and names the late ranks, never itself. It is the first of a smaller call, too: else
// that may be a late one, where those before it are left out.
void SmallerCalls::keepFirstRank(std::vector<SampledRank>& ranks) const {
  if (flaggedRanks(call_.choice, call_.shape.ranks) == 0 || of_whole_node_ > 1 || ranks.front().rank == 0) return;
  const auto apart = [&](const SampledRank& sampled) {
    return std::abs(call_.arrivals[static_cast<std::size_t>(sampled.rank)].value - call_.arrivals.front().value);
  };
  const auto most_alike = std::ranges::min_element(ranks, {}, apart);
  most_alike->rank = 0;
  std::rotate(ranks.begin(), most_alike, most_alike + 1);
}

SmallerCalls::Call SmallerCalls::callOf(const SampleSize& size, std::int32_t latest) const {
  std::vector<SampledRank> ranks = sample_.choose(size.units, latest, size.of_node, size.keeps_late);
  keepFirstRank(ranks);
  Call call = planOf(size, ranks);
  call.arrivals = pick(call_.arrivals, ranks);
  call.lateness_ns = pick(call_.lateness_ns, ranks);
  if (size.of_node < of_whole_node_ || size.weighs) {
    for (const SampledRank& sampled : ranks) call.stand_ins.push_back(standIn(sampled, size));
  }
  return call;
}

void SmallerCalls::slow(Call& call, const SampleSize& size) const {
  call.model = call_.model;
  call.model.alpha = size.slowdown * call_.model.alpha;
  call.model.overhead = size.slowdown * call_.model.overhead;
  call.model.release = size.slowdown * call_.model.release;
  call.model.inner_beta = std::pow(size.inner_slowdown, growth_.within) * call_.model.inner_beta;
  const Seconds overhead = std::min(call_.model.overhead, call_.model.inner_alpha);
  const Seconds flight = call_.model.inner_alpha - overhead;
  call.scope.inner_overhead = size.inner_slowdown * overhead;
  call.scope.inner_release = size.inner_slowdown * call_.model.release;
  // Ranks that take turns wait for a message to be sent; how long it is on its way then matters once.
  const Seconds slowed_flight =
      size.inner_slowdown * (isMadeForNodes() ? std::min(call_.model.release, flight) : flight);
  call.model.inner_alpha = *call.scope.inner_overhead + std::max(flight, slowed_flight);
}

StandIn SmallerCalls::standIn(const SampledRank& sampled, const SampleSize& size) const {
  const double ranks = sampled.stands_for;
  const double others = size.of_node - 1.0;
  const double whole = ranks * size.of_node - 1.0;
  // Along a chain of ranks messages are slower already by as much as ranks are fewer.
  const double as_slowed = isChain() && !isMadeForNodes() ? 1.0 : 0.0;
  StandIn stand_in{.ranks = size.weighs ? sampled.of_all : 1.0};
  for (std::size_t lane = 0; lane < kMaxLanes; ++lane) {
    const double each = growth_.elements_of_each[lane];
    stand_in.bytes[lane] = (1.0 + each * whole) / (1.0 + each * others);
    stand_in.overhead[lane] = std::pow(ranks, std::max(growth_.messages[lane] - as_slowed, 0.0));
  }
  return stand_in;
}

Shape SmallerCalls::shapeOf(const Call& call) const {
  Shape shape = call_.shape;
  shape.ranks = call.ranks;
  shape.topology = &call.topology;
  shape.table = {};
  shape.node_sizes = call.sizes ? &*call.sizes : nullptr;
  return shape;
}

// Returns the shape, whose topology has the trees that the row wants.
Shape SmallerCalls::withTrees(Call& call) const {
  const Shape shape = shapeOf(call);
  const std::optional<std::size_t> trees = findParameter(algorithm_, kTreesParameter);
  if (!trees) return shape;
  const auto wanted = static_cast<std::int32_t>(std::min<std::int64_t>(call.choice.parameters[*trees], shape.ranks));
  if (std::ssize(call.topology.trees) < wanted) {
    call.topology.trees = topologyTrees(&call.topology, shape.ranks, wanted);
  }
  return shape;
}

std::int64_t SmallerCalls::stepsOf(const Call& call) const {
  const Shape shape = shapeOf(call);
  return shape.ranks * algorithm_.max_steps(shape, call.choice.parameters);
}

// Every rank sends and receives, or, where nodes differ in size, nearly every one.
bool SmallerCalls::fits(const SampleSize& size, std::int64_t steps) const {
  const std::int64_t ranks = std::int64_t{size.units} * std::min(size.of_node, of_whole_node_);
  return 2 * ranks <= steps &&
         stepsOf(planOf(size, sample_.choose(size.units, 0, size.of_node, size.keeps_late))) <= steps;
}

void SmallerCalls::cutSegments(Call& call, const SampleSize& size) const {
  const std::optional<std::size_t> index = findParameter(algorithm_, kSegmentsParameter);
  if (!index) return;
  std::int64_t& segments = call.choice.parameters[*index];
  const std::int64_t steps = std::max<std::int64_t>(stepsOf(call), 1);
  const auto with = [&](std::int64_t most) {
    return std::min(segments, segments * static_cast<std::int64_t>(size.steps * static_cast<double>(most)) / steps);
  };
  const std::int64_t left = std::max(with(kEnoughSteps), std::min(with(kMostSteps), kManySegments));
  segments = std::max(left, std::min<std::int64_t>(segments, 1));
}

Result<Seconds> SmallerCalls::timeOf(const SampleSize& size, std::int32_t latest, Seconds limit) const {
  Call call = callOf(size, latest);
  cutSegments(call, size);
  call.scope.stand_ins = call.stand_ins;
  return simulatedTime({.choice = call.choice,
                        .shape = withTrees(call),
                        .element_size = call_.element_size,
                        .model = call.model,
                        .arrivals = call.arrivals,
                        .lateness_ns = call.lateness_ns,
                        .limit = limit,
                        .scratch = call_.scratch},
                       call.scope);
}

SmallerCalls::Traffic SmallerCalls::trafficOf(std::int32_t of_node) const {
  Call call = callOf({2, of_node}, std::min(sample_.lateUnits(), 1));
  if (const std::optional<std::size_t> index = findParameter(algorithm_, kSegmentsParameter)) {
    call.choice.parameters[*index] = std::min(call.choice.parameters[*index], kSegmentsOfTraffic);
  }
  std::pmr::monotonic_buffer_resource memory(call_.scratch.data(), call_.scratch.size());
  const std::vector<std::int32_t>& nodes = call.topology.nodes;
  std::vector<double> within(nodes.size());
  Traffic traffic;
  for (const Schedule& schedule : buildAll(call.choice, withTrees(call), call.lateness_ns, &memory)) {
    for (const Step& step : schedule.steps) {
      if (step.kind != StepKind::kSend) continue;
      const auto elements = static_cast<double>(step.block.count);
      if (nodes[schedule.virtual_rank] == nodes[step.peer]) {
        within[step.peer] += elements;
      } else {
        traffic.elements[step.lane] += elements;
        traffic.messages[step.lane] += 1.0;
      }
    }
  }
  traffic.within = *std::ranges::max_element(within);
  return traffic;
}

SmallerCalls::Growth SmallerCalls::growthOfTraffic() const {
  // What a row that is made for nodes sends out of one does not grow with its ranks, unless all of these have a share.
  if (of_whole_node_ <= 2 || (isMadeForNodes() && !algorithm_.takes_turns_in_nodes)) return {};
  const Traffic two = trafficOf(2);
  const Traffic four = trafficOf(4);
  const auto exponent = [](double less, double more, double ratio) {
    return less > 0.0 ? std::max(std::log(more / less) / std::log(ratio), 0.0) : 0.0;
  };
  Growth growth;
  for (std::size_t lane = 0; lane < kMaxLanes; ++lane) {
    // Where each rank sends all but its own part of a vector, that part alone makes so much of a difference.
    constexpr double kOwnParts = (1.0 - 1.0 / 8.0) / (1.0 - 1.0 / 4.0);
    const double of_one_more = (four.elements[lane] - two.elements[lane]) / 2.0;
    const double of_one = two.elements[lane] - of_one_more;
    const bool grows = four.elements[lane] > 1.01 * kOwnParts * two.elements[lane];
    growth.elements_of_each[lane] = grows ? of_one_more / std::max(of_one, of_one_more) : 0.0;
    growth.messages[lane] = exponent(two.messages[lane], four.messages[lane], 2.0);
  }
  growth.of_all_messages = exponent(std::reduce(two.messages.begin(), two.messages.end()),
                                    std::reduce(four.messages.begin(), four.messages.end()), 2.0);
  if (algorithm_.takes_turns_in_nodes) growth.within = exponent(two.within, four.within, 3.0);
  return growth;
}

}  // namespace starling
