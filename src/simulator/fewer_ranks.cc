#include "simulator/fewer_ranks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

#include "algos/tree_search.h"
#include "simulator/rank_sample.h"
#include "simulator/simulated_choice.h"

namespace starling {
namespace {

// A smaller call has about so many steps of all ranks: a third of a millisecond of one core.
constexpr std::int64_t kSteps = 1'500;
// Along chains there are two, and fewer ranks say as much.
constexpr std::int64_t kStepsOfChain = 1'000;
// Where few ranks would say nothing, because several are late, it may have so many.
constexpr std::int64_t kMostSteps = 4'000;

// A simulation is given up this far beyond a limit, so that rounding does not bring it back below.
constexpr double kGivenUp = 1.0 + 2e-9;
constexpr double kBeyond = 1.0 + 1e-9;

constexpr std::int32_t kFewestChained = 8;
constexpr std::int32_t kMostChained = 32;
constexpr std::int32_t kFewestInTree = 4;
// Of two nodes more of the traffic stays within a node than of many.
constexpr std::int32_t kFewestNodes = 3;
// So many late ranks are all in a smaller call, where they are no more than a third of it; of more each one stands for
// several.
constexpr std::int32_t kFewLate = 6;

std::vector<Seconds> latenessOf(const CallToPredict& call) {
  const Seconds earliest = *std::ranges::min_element(call.arrivals);
  std::vector<Seconds> lateness;
  for (std::size_t rank = 0; rank < call.arrivals.size(); ++rank) {
    const Seconds predicted = call.lateness_ns.empty() ? Seconds{} : fromNanoseconds(call.lateness_ns[rank]);
    lateness.push_back(std::max(call.arrivals[rank] - earliest, predicted));
  }
  return lateness;
}

// Simulates the call as it is.
Result<Seconds> simulatedTime(const CallToPredict& call) {
  std::pmr::monotonic_buffer_resource memory(call.scratch.data(), call.scratch.size());
  const Seconds last_arrival = *std::ranges::max_element(call.arrivals);
  const Result<SimulatedCall> simulated = simulateChoice(
      call.choice, call.shape, call.element_size, call.model, call.arrivals, call.lateness_ns,
      {.has_transfers = false, .most_mean_exit = last_arrival + kGivenUp * call.limit, .memory = &memory});
  if (!simulated.isOk()) return simulated.status();
  return postArrivalTime(simulated.value(), call.arrivals);
}

template <typename Value>
std::vector<Value> pick(std::span<const Value> values, std::span<const std::int32_t> ranks) {
  std::vector<Value> picked;
  if (values.empty()) return picked;
  for (const std::int32_t rank : ranks) picked.push_back(values[rank]);
  return picked;
}

Topology pick(const Topology& topology, std::int32_t all, std::span<const std::int32_t> ranks) {
  Topology picked{.nodes = pick(std::span(topology.nodes), ranks),
                  .shares_memory = topology.shares_memory,
                  .reads_memory = topology.reads_memory};
  for (const std::int32_t rank : topology.links.empty() ? std::span<const std::int32_t>{} : ranks) {
    for (const std::int32_t other : ranks) picked.links.push_back(topology.links[std::int64_t{rank} * all + other]);
  }
  return picked;
}

struct SmallerCall {
  CostModel model;
  std::vector<Seconds> arrivals;
  std::vector<std::int64_t> lateness_ns;
  Topology topology{};
  Choice choice{};
};

class FewerRanks {
 public:
  explicit FewerRanks(const CallToPredict& call)
      : call_(call),
        algorithm_(*findAlgorithm(call.choice.algorithm)),
        made_(call.sample == nullptr ? std::optional(sampleOf(call)) : std::nullopt),
        sample_(call.sample == nullptr ? *made_ : *call.sample),
        usual_(usualFor(call.shape, call.model)) {}

  Result<Seconds> predict() const {
    if (algorithm_.chains_ranks != nullptr && algorithm_.chains_ranks(call_.choice.parameters)) return alongChains();
    return algorithm_.best_segments != nullptr ? throughPipeline() : throughTree();
  }

 private:
  // So many units take part; messages are so many times slower.
  struct Size {
    std::int32_t units;
    double slowdown = 1.0;
  };

  double ranksOf(std::int32_t units) const {
    return static_cast<double>(call_.shape.ranks) * units / static_cast<double>(sample_.units());
  }
  Size chained(std::int32_t units) const { return {units, call_.shape.ranks / ranksOf(units)}; }
  Size piped(std::int32_t units) const { return {units, std::log2(call_.shape.ranks) / std::log2(ranksOf(units))}; }
  std::int32_t fewestUnits(std::int32_t ranks) const {
    const std::int32_t least = ranksOf(1) > 1.0 ? 2 : 1;
    return std::max(least, static_cast<std::int32_t>(std::ceil(ranks / ranksOf(1))));
  }
  std::int32_t fewestInTree(std::int32_t ranks) const {
    return std::max(fewestUnits(ranks), ranksOf(1) > 1.0 ? kFewestNodes : 1);
  }
  bool isPowerOfTwo() const { return std::has_single_bit(static_cast<std::uint32_t>(sample_.units())); }
  std::int32_t halved(int times) const {
    const auto all = static_cast<std::uint32_t>(sample_.units());
    const auto units = static_cast<std::uint32_t>(std::llround(std::ldexp(all, -times)));
    return static_cast<std::int32_t>(std::has_single_bit(units) && !std::has_single_bit(all) ? units + 1 : units);
  }

  // Tells whether there are three sizes from this one down.
  bool leavesThree(int times) const {
    const std::int32_t least = halved(times + 2);
    return least >= (isPowerOfTwo() ? fewestUnits(2) : fewestInTree(2)) && least < halved(times + 1);
  }

  Result<Seconds> alongChains() const {
    const bool few_are_late = sample_.lateUnits() <= std::min(kFewLate, sample_.units() / 3) &&
                              ranksOf(3 * sample_.lateUnits()) <= kMostChained;
    const std::int32_t late = few_are_late ? sample_.lateUnits() : 0;
    const std::int32_t fewest = std::max(fewestUnits(kFewestChained), 3 * late);
    std::int32_t units = std::min(std::max(fewest + 1, fewest * 3 / 2), sample_.units());
    while (units < sample_.units() && ranksOf(units + 1) <= kMostChained && fits(chained(units + 1), kStepsOfChain))
      ++units;
    // By no more than this part does the whole call differ from the larger of two samples.
    const double most_part = (2.0 + late) / ranksOf(units);
    // Two samples of many late ranks differ by more than their sizes: a ring's own share takes the place of what they
    // would say.
    const double share = (1.0 - 1.0 / call_.shape.ranks) / (1.0 - 1.0 / ranksOf(units));
    const double least_part = few_are_late ? 1.0 - most_part : share;
    const Seconds limit = least_part > 0.0 ? 1.0 / least_part * call_.limit : Seconds{HUGE_VAL};
    const Result<Seconds> large = timeOf(chained(units), std::min(late, units / 2), limit);
    if (large.isOk() && large.value() > kBeyond * limit) return least_part * large.value();
    if (!few_are_late && large.isOk()) return share * large.value();
    const std::int32_t fewer = units * 2 / 3;
    const Result<Seconds> small = timeOf(chained(fewer), std::min(late, fewer / 2), Seconds{HUGE_VAL});
    if (!small.isOk() || !large.isOk()) return small.isOk() ? large : small;
    const Seconds slope = 1.0 / (1.0 / ranksOf(fewer) - 1.0 / ranksOf(units)) * (small.value() - large.value());
    const Seconds rest = (1.0 / call_.shape.ranks - 1.0 / ranksOf(units)) * slope;
    const Seconds most = most_part * large.value();
    return large.value() + std::clamp(rest, -1.0 * most, most);
  }

  Result<Seconds> throughPipeline() const {
    int times = 1;
    while (halved(times + 1) >= fewestInTree(kFewestInTree) && !fits(piped(halved(times)))) ++times;
    return timeOf(piped(halved(times)), halved(times) / 2, call_.limit);
  }

  Result<Seconds> throughTree() const {
    int doublings = 0;
    while (leavesThree(doublings + 1) && !fits({halved(doublings)})) ++doublings;
    if (doublings == 0) return timeOf({sample_.units()}, sample_.units(), call_.limit);
    double times[3];  // of three sizes, ascending
    for (int i = 0; i < 3; ++i) {
      const std::int32_t units = halved(doublings + 2 - i);
      const Result<Seconds> time = timeOf({units}, units / 2, call_.limit);
      // More ranks take no less.
      if (!time.isOk() || time.value() > kBeyond * call_.limit) return time;
      times[i] = time.value().value;
    }
    const double bend = (times[2] - times[1]) - (times[1] - times[0]);
    const double per_doubling = times[2] - times[1] + bend;
    const double falling = bend * (1.0 - std::ldexp(1.0, -doublings));
    return Seconds{std::max(times[2], times[2] + doublings * per_doubling - falling)};
  }

  CostModel slowed(double slowdown) const {
    CostModel model = call_.model;
    model.alpha = slowdown * model.alpha;
    model.overhead = slowdown * model.overhead;
    model.release = slowdown * model.release;
    // A row that is made for nodes does within them the same as before, however many there are.
    if (algorithm_.suits_topology == nullptr) model.inner_alpha = slowdown * model.inner_alpha;
    return model;
  }

  Choice usualFor(const Shape& shape, const CostModel& model) const {
    Choice choice{algorithm_.id, defaultParameters(algorithm_)};
    setStepTime(choice, shape, call_.element_size, model);
    setBestSegments(choice, shape, call_.element_size, model);
    return choice;
  }

  // Parameters that follow from the costs are to the usual ones as they are in the whole call.
  Choice choiceFor(const Shape& shape, const CostModel& model) const {
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

  SmallerCall smallerCall(const Size& size, std::int32_t latest) const {
    const std::vector<std::int32_t> ranks = sample_.choose(size.units, latest);
    SmallerCall call{.model = slowed(size.slowdown),
                     .arrivals = pick(call_.arrivals, ranks),
                     .lateness_ns = pick(call_.lateness_ns, ranks)};
    if (call_.shape.topology != nullptr) {
      const bool is_whole = std::ssize(ranks) == call_.shape.ranks;
      call.topology = is_whole ? *call_.shape.topology : pick(*call_.shape.topology, call_.shape.ranks, ranks);
    }
    call.choice = choiceFor(shapeOf(call), call.model);
    return call;
  }

  Shape shapeOf(const SmallerCall& call) const {
    Shape shape = call_.shape;
    shape.ranks = static_cast<std::int32_t>(call.arrivals.size());
    shape.topology = &call.topology;
    shape.table = {};
    return shape;
  }

  std::int64_t stepsOf(const SmallerCall& call) const {
    const Shape shape = shapeOf(call);
    return shape.ranks * algorithm_.max_steps(shape, call.choice.parameters);
  }

  // Every rank has a step.
  bool fits(const Size& size, std::int64_t steps = kSteps) const {
    return ranksOf(size.units) <= static_cast<double>(steps) && stepsOf(smallerCall(size, 0)) <= steps;
  }

  void cutSegments(SmallerCall& call) const {
    const std::optional<std::size_t> index = findParameter(algorithm_, kSegmentsParameter);
    const std::int64_t steps = stepsOf(call);
    if (!index || steps <= kMostSteps) return;
    std::int64_t& segments = call.choice.parameters[*index];
    segments = std::max<std::int64_t>(segments * kMostSteps / steps, 1);
  }

  // Returns some time beyond `limit` where the call takes longer than that.
  Result<Seconds> timeOf(const Size& size, std::int32_t latest, Seconds limit) const {
    SmallerCall call = smallerCall(size, latest);
    cutSegments(call);
    const Shape shape = shapeOf(call);
    if (const std::optional<std::size_t> trees = findParameter(algorithm_, kTreesParameter)) {
      const auto wanted =
          static_cast<std::int32_t>(std::min<std::int64_t>(call.choice.parameters[*trees], shape.ranks));
      if (std::ssize(call.topology.trees) < wanted) {
        call.topology.trees = topologyTrees(&call.topology, shape.ranks, wanted);
      }
    }
    return simulatedTime({.choice = call.choice,
                          .shape = shape,
                          .element_size = call_.element_size,
                          .model = call.model,
                          .arrivals = call.arrivals,
                          .lateness_ns = call.lateness_ns,
                          .limit = limit,
                          .scratch = call_.scratch});
  }

  const CallToPredict& call_;
  const Algorithm& algorithm_;
  const std::optional<RankSample> made_;  // where the call has none
  const RankSample& sample_;
  const Choice usual_;  // of the whole call
};

}  // namespace

RankSample sampleOf(const CallToPredict& call) {
  const Topology* topology = call.shape.topology;
  return {latenessOf(call), topology == nullptr ? std::span<const std::int32_t>{} : std::span(topology->nodes)};
}

Result<Seconds> predictPostArrivalTime(const CallToPredict& call) {
  if (call.shape.ranks > kMostSimulatedRanks) return predictFromFewerRanks(call);
  return simulatedTime(call);
}

Result<Seconds> predictFromFewerRanks(const CallToPredict& call) { return FewerRanks(call).predict(); }

}  // namespace starling
