#include "simulator/fewer_ranks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/rank_sample.h"
#include "simulator/simulated_choice.h"
#include "simulator/smaller_calls.h"

namespace starling {
namespace {

// A smaller call has about so many steps of all ranks: about a third of a millisecond of one core.
constexpr std::int64_t kSteps = 1'200;
// A simulation is given up this far beyond a limit, so that rounding does not bring it back below.
constexpr double kGivenUp = 1.0 + 2e-9;
constexpr double kBeyond = 1.0 + 1e-9;

constexpr std::int32_t kFewestChained = 8;
constexpr std::int32_t kMostChained = 32;
constexpr std::int32_t kFewestInTree = 4;
// Of nodes that come late one after the other so many are taken, the last ones.
constexpr std::int32_t kLastNodes = 3;
// Of two nodes more of the traffic stays within a node than of many.
constexpr std::int32_t kFewestNodes = 3;
// Of a node about so many ranks take part, or, where its ranks are halved, up to one more.
constexpr std::int32_t kOfNode = 4;
// Where a node has fewer, and all nodes together so few, all take part: some of them would be unlike the whole.
constexpr std::int32_t kMostUneven = 64;
// Where they take turns, so many of a few nodes do, and more where a vector has fewer elements than that: then most of
// them own nothing.
constexpr std::int32_t kTakingTurns = 8;
constexpr std::int32_t kMostTakingTurns = 32;
// A call in which more of them take part than usual may have so many steps.
constexpr std::int64_t kMostTurns = 2'600;
// This part of its steps is enough where only what goes on within nodes is looked at.
constexpr double kWithinNodes = 0.15;

std::vector<Seconds> latenessOf(const CallToPredict& call) {
  const Seconds earliest = *std::ranges::min_element(call.arrivals);
  std::vector<Seconds> lateness;
  for (std::size_t rank = 0; rank < call.arrivals.size(); ++rank) {
    const Seconds predicted = call.lateness_ns.empty() ? Seconds{} : fromNanoseconds(call.lateness_ns[rank]);
    lateness.push_back(std::max(call.arrivals[rank] - earliest, predicted));
  }
  return lateness;
}

class FewerRanks {
 public:
  explicit FewerRanks(const CallToPredict& call)
      : call_(call),
        made_(call.sample == nullptr ? std::optional(sampleOf(call)) : std::nullopt),
        sample_(call.sample == nullptr ? *made_ : *call.sample),
        calls_(call, sample_),
        of_node_(ranksOfNode()),
        mean_of_node_(sample_.meanRanksOfUnit(of_node_)),
        beyond_(keepsLate() ? sample_.beyond(of_node_) : 0) {}

  Result<Seconds> predict() const {
    if (calls_.isChain()) {
      const Result<Seconds> time = alongChains();
      return time.isOk() && calls_.isMadeForNodes() ? withAllOfNodes(time.value(), {}) : time;
    }
    if (pipedSegments() <= 1) return throughTree();
    const Result<Seconds> time = throughPipeline();
    return time.isOk() && calls_.isMadeForNodes() ? withAllOfNodes(time.value(), {}) : time;
  }

 private:
  // Returns how many ranks of each node stand for all of them.
  std::int32_t ranksOfNode() const {
    const std::int32_t all = calls_.ofWholeNode();
    const bool are_few = call_.shape.ranks <= kMostUneven && all <= kTakingTurns;
    if (are_few && sample_.meanRanksOfUnit(kOfNode) < std::min(all, kOfNode)) return all;
    if (calls_.isChain()) return std::min(all, takesMoreTurns() ? kTakingTurns : kOfNode);
    int times = 0;
    while (halved(all, times) > kOfNode + 1 && halved(all, times + 1) >= kOfNode) ++times;
    return halved(all, times);
  }

  // Ranks that lead their node in turn hide each other's latency, the more so the more there are, as long as what each
  // of them sends is short. Tells whether more of them take part than usual.
  bool takesMoreTurns() const {
    const double bytes_of_each = static_cast<double>(call_.shape.count * call_.element_size.value) / call_.shape.ranks;
    return calls_.algorithm().takes_turns_in_nodes && bytes_of_each * call_.model.beta < call_.model.alpha.value &&
           calls_.fits({sample_.units(), kTakingTurns}, kMostTurns);
  }
  // Returns how many segments follow each other, of rows that say so by a closed form; else 1.
  std::int64_t pipedSegments() const {
    const Algorithm& row = calls_.algorithm();
    if (row.best_segments == nullptr || !hasSegments(row, call_.choice.parameters)) return 1;
    // 0 stands for several, as many as the row thinks fit.
    const std::int64_t segments = call_.choice.parameters[*findParameter(row, kSegmentsParameter)];
    return segments == 0 ? 2 : segments;
  }
  bool keepsLate() const { return calls_.isChain() && !calls_.isMadeForNodes(); }
  double simulatedOf(std::int32_t units) const { return units * mean_of_node_; }
  double simulatedRanks(std::int32_t units) const { return simulatedOf(units) + beyond_; }
  // What a row that is made for nodes takes depends on how many of them there are.
  double ranksOf(std::int32_t units) const {
    return calls_.isMadeForNodes() ? call_.shape.ranks * static_cast<double>(units) / sample_.units()
                                   : simulatedRanks(units);
  }
  SampleSize whole(std::int32_t units) const { return {units, of_node_}; }
  // Messages within nodes are slower by as much as ranks are fewer; those between nodes are, too, but for the ranks of
  // a node that send none.
  SampleSize chained(std::int32_t units) const {
    const double slowdown = call_.shape.ranks / ranksOf(units);
    if (calls_.isMadeForNodes()) return {units, of_node_, slowdown};
    const double fewer = static_cast<double>(calls_.ofWholeNode()) / of_node_;
    return {units, of_node_, slowdown / std::pow(fewer, 1.0 - std::min(calls_.growthOfMessages(), 1.0)), slowdown,
            true};
  }
  SampleSize piped(std::int32_t units) const {
    const double slowdown = units < sample_.units() ? std::log2(sample_.units()) / std::log2(units) : 1.0;
    if (calls_.isMadeForNodes()) return {units, of_node_, slowdown};
    const std::int32_t of_node = calls_.ofWholeNode();
    return {units, of_node_, slowdown, of_node > of_node_ ? std::log2(of_node) / std::log2(of_node_) : slowdown};
  }
  std::int32_t fewestUnits(std::int32_t ranks) const {
    const std::int32_t least = simulatedOf(1) > 1.0 ? 2 : 1;
    return std::max(least, static_cast<std::int32_t>(std::ceil(ranks / simulatedOf(1))));
  }
  std::int32_t fewestInTree(std::int32_t ranks) const {
    return std::max(fewestUnits(ranks), simulatedOf(1) > 1.0 ? kFewestNodes : 1);
  }
  bool isPowerOfTwo() const { return std::has_single_bit(static_cast<std::uint32_t>(sample_.units())); }
  static std::int32_t halved(std::int32_t number, int times) {
    const auto all = static_cast<std::uint32_t>(number);
    const auto part = static_cast<std::uint32_t>(std::llround(std::ldexp(all, -times)));
    return static_cast<std::int32_t>(std::has_single_bit(part) && !std::has_single_bit(all) ? part + 1 : part);
  }
  std::int32_t halved(int times) const { return halved(sample_.units(), times); }

  // Tells whether there are three sizes from this one down.
  bool leavesThree(int times) const {
    const std::int32_t least = halved(times + 2);
    return least >= (isPowerOfTwo() ? fewestUnits(2) : fewestInTree(2)) && least < halved(times + 1);
  }

  Result<Seconds> alongChains() const {
    const bool few_are_late = sample_.lateUnits() <= std::min(RankSample::kFewLate, sample_.units() / 3) &&
                              simulatedRanks(3 * sample_.lateUnits()) <= kMostChained;
    if (few_are_late) return alongLateEnd(sample_.lateUnits());
    return simulatedOf(1) > 1.0 ? alongLastNodes() : alongEven();
  }

  // Returns the most units of which chains are simulated, from so many up to those. Where nodes differ in size a larger
  // sample may have fewer steps than a smaller one, so that more might fit.
  std::int32_t mostChained(std::int32_t fewest) const {
    std::int32_t units = std::min(std::max(fewest + 1, fewest * 3 / 2), sample_.units());
    std::int32_t too_many = units + 1;
    while (too_many <= sample_.units() && simulatedRanks(too_many) <= kMostChained) ++too_many;
    while (units + 1 < too_many) {
      const std::int32_t middle = units + (too_many - units) / 2;
      (calls_.fits(chained(middle), kSteps) ? units : too_many) = middle;
    }
    return units;
  }

  // Where few units are late: two samples, which say what is left of 1/P.
  Result<Seconds> alongLateEnd(std::int32_t late) const {
    // A late node has ranks that come in time; of single ranks there are twice as many of these.
    const std::int32_t units =
        mostChained(std::max(fewestUnits(kFewestChained), (simulatedOf(1) > 1.0 ? 2 : 3) * late));
    // By no more than this part does the whole call differ from the larger of two samples.
    const double most_part = (2.0 + late) / ranksOf(units);
    const double least_part = 1.0 - most_part;
    const Seconds limit = least_part > 0.0 ? 1.0 / least_part * call_.limit : Seconds{HUGE_VAL};
    const Result<Seconds> large = calls_.timeOf(chained(units), std::min(late, units / 2), limit);
    if (large.isOk() && large.value() > kBeyond * limit) return least_part * large.value();
    if (large.isOk() && least_part * large.value() > call_.roughly_from) return shareOf(units) * large.value();
    const std::int32_t fewer = units * 2 / 3;
    SampleSize smaller = chained(fewer);
    smaller.steps = ranksOf(fewer) / ranksOf(units);  // so that segments are as many
    const Result<Seconds> small = calls_.timeOf(smaller, std::min(late, fewer / 2), Seconds{HUGE_VAL});
    if (!small.isOk() || !large.isOk()) return small.isOk() ? large : small;
    const Seconds slope = 1.0 / (1.0 / ranksOf(fewer) - 1.0 / ranksOf(units)) * (small.value() - large.value());
    const Seconds rest = (1.0 / call_.shape.ranks - 1.0 / ranksOf(units)) * slope;
    const Seconds most = most_part * large.value();
    return large.value() + std::clamp(rest, -1.0 * most, most);
  }

  // Returns how much longer a chain of all ranks takes than one of a sample. A ring sends all of a vector but a part of
  // 1/P; where more segments than ranks follow each other, all of it goes from rank to rank.
  double shareOf(std::int32_t units) const {
    if (pipedSegments() > call_.shape.ranks) return 1.0;
    return (1.0 - 1.0 / call_.shape.ranks) / (1.0 - 1.0 / ranksOf(units));
  }

  // Two samples of many late ranks differ by more than their sizes: the share takes the place of what they would say.
  Result<Seconds> timesShare(const SampleSize& size, std::int32_t latest) const {
    const double share = shareOf(size.units);
    const Result<Seconds> time = calls_.timeOf(size, latest, 1.0 / share * call_.limit);
    return time.isOk() ? share * time.value() : time;
  }

  Result<Seconds> alongEven() const { return timesShare(chained(mostChained(fewestUnits(kFewestChained))), 0); }

  // What late nodes take depends on how long they come after each other, so that the last ones are taken as they are.
  // Another one stands for all those before.
  Result<Seconds> alongLastNodes() const {
    const std::int32_t nodes = std::max(mostChained(fewestUnits(kFewestChained)), kLastNodes + 1);
    SampleSize size = chained(std::min(nodes, sample_.units()));
    size.weighs = true;
    return timesShare(size, std::min(kLastNodes, size.units - 1));
  }

  // Two nodes have no partial results of others to wait for.
  Result<Seconds> throughPipeline() const {
    int times = calls_.isMadeForNodes() || halved(1) < fewestUnits(2) ? 0 : 1;
    while (halved(times + 1) >= fewestInTree(kFewestInTree) && !calls_.fits(piped(halved(times)), kSteps)) ++times;
    return calls_.timeOf(piped(halved(times)), halved(times) / 2, call_.limit);
  }

  Result<Seconds> throughTree() const {
    int doublings = 0;
    while (leavesThree(doublings + 1) && !calls_.fits(whole(halved(doublings)), kSteps)) ++doublings;
    if (doublings == 0) {
      const std::int32_t units = sample_.units();
      const Result<Seconds> time = calls_.timeOf(whole(units), units, call_.limit);
      return time.isOk() ? withAllOfNodes(time.value(), {}) : time;
    }
    double times[3];  // of three sizes, ascending
    for (int i = 0; i < 3; ++i) {
      const std::int32_t units = halved(doublings + 2 - i);
      const Result<Seconds> time = calls_.timeOf(whole(units), units / 2, call_.limit);
      // More ranks take no less.
      if (!time.isOk() || time.value() > kBeyond * call_.limit) return time;
      times[i] = time.value().value;
    }
    const double bend = (times[2] - times[1]) - (times[1] - times[0]);
    const double per_doubling = times[2] - times[1] + bend;
    const double falling = bend * (1.0 - std::ldexp(1.0, -doublings));
    const Seconds time{std::max(times[2], times[2] + doublings * per_doubling - falling)};
    return withAllOfNodes(time, {halved(doublings + 2), Seconds{times[0]}});
  }

  // The time of a call of whole() size.
  struct Sampled {
    std::int32_t units = 0;
    Seconds time{};
  };

  // Adds to a predicted time what the other ranks of each node take among themselves, of a few nodes: of the smallest
  // size that was simulated, if it is that.
  Result<Seconds> withAllOfNodes(Seconds time, const Sampled& smallest) const {
    if (calls_.ofWholeNode() <= of_node_ || time > kBeyond * call_.limit || time > call_.roughly_from) return time;
    const std::int32_t units = fewestUnits(2);
    const Result<Seconds> sampled = units == smallest.units ? smallest.time : withinNodes(whole(units));
    if (!sampled.isOk()) return sampled;
    if (calls_.algorithm().takes_turns_in_nodes) {
      const Result<Seconds> more = withinNodes(takingTurns(units));
      return more.isOk() ? time + std::max(more.value() - sampled.value(), Seconds{}) : more;
    }
    const std::int32_t fewer = halved(of_node_, 1);
    const Result<Seconds> half = withinNodes({units, fewer});
    if (!half.isOk()) return half;
    const double doublings = std::log(static_cast<double>(calls_.ofWholeNode()) / of_node_) /
                             std::log(static_cast<double>(of_node_) / fewer);
    return time + doublings * std::max(sampled.value() - half.value(), Seconds{});
  }

  // For what ranks do within their nodes it matters little how many segments follow each other between these: a few
  // do, about as many in each of the calls that are compared.
  Result<Seconds> withinNodes(SampleSize size) const {
    if (pipedSegments() > 1) size.steps = kWithinNodes * size.of_node / of_node_;
    return calls_.timeOf(size, size.units / 2, Seconds{HUGE_VAL});
  }

  // Messages of ranks that take turns are slower by as much as these are fewer.
  SampleSize takingTurns(std::int32_t units) const {
    const std::int32_t most = call_.shape.count < kTakingTurns ? kMostTakingTurns : kTakingTurns;
    const std::int32_t of_node = std::min(most, calls_.ofWholeNode());
    return {units, of_node, 1.0, std::max((calls_.ofWholeNode() - 1.0) / (of_node - 1.0), 1.0)};
  }

  const CallToPredict& call_;
  const std::optional<RankSample> made_;  // where the call has none
  const RankSample& sample_;
  const SmallerCalls calls_;
  const std::int32_t of_node_;  // ranks that take part of each node, at most,
  const double mean_of_node_;   // fewer, where a node has fewer
  const std::int32_t beyond_;   // but for so many that are late
};

}  // namespace

Result<Seconds> simulatedTime(const CallToPredict& call, SimulationScope scope) {
  std::pmr::monotonic_buffer_resource memory(call.scratch.data(), call.scratch.size());
  const Seconds last_arrival = *std::ranges::max_element(call.arrivals);
  scope.has_transfers = false;
  scope.are_sane = true;
  scope.most_mean_exit = last_arrival + kGivenUp * call.limit;
  scope.memory = &memory;
  const Result<SimulatedCall> simulated =
      simulateChoice(call.choice, call.shape, call.element_size, call.model, call.arrivals, call.lateness_ns, scope);
  if (!simulated.isOk()) return simulated.status();
  return postArrivalTime(simulated.value(), call.arrivals, scope.stand_ins);
}

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
