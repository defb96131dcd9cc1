// Predicts what a call of many ranks takes from calls of fewer ranks, which are simulated in its place.
//
// A smaller call keeps the vector, the bytes per second and the latest ranks. How its time grows to that of the whole
// call follows from how a row's messages follow each other:
//
// - Along a ring or chain (Algorithm::chains_ranks). A call of P/k ranks takes as long as one of P where each message
//   has k times the latency: k ranks are seen as one. What is left of a difference falls with 1/P; calls of two sizes
//   give it.
// - Segment after segment through a tree, where the closed form of the row says that there are several. So does a call
//   of Q ranks with k = log P / log Q, which has 1/k as many segments; on shared nodes k is that of the nodes, and
//   within a node that of its ranks (of rows that are made for nodes 1).
// - Through a tree, or in rounds of rising distance. Of three sizes, each half of the next, the time is a + b j + c/2^j
//   after j doublings; a power of two stays one, and any other number does not become one.
//
// Where ranks share nodes, some nodes take part, and a few ranks of each, whose messages stand for those of all
// (smaller_calls.h). To this comes what the others of a node take among themselves.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "algos/catalogue.h"
#include "base/status.h"
#include "base/units.h"
#include "simulator/rank_sample.h"
#include "simulator/simulator.h"

namespace starling {

// A call as simulateChoice() takes it; what it refers to outlives it.
struct CallToPredict {
  Choice choice;
  Shape shape;
  Bytes element_size;
  CostModel model;
  std::span<const Seconds> arrivals;          // by virtual rank
  std::span<const std::int64_t> lateness_ns;  // predicted; empty: all on time
  // Whether a call takes longer than this is all that one need know of it: its prediction is then some time beyond.
  Seconds limit{HUGE_VAL};
  // Of a call that takes longer than this a rough prediction will do: not below it, and at most half too long.
  Seconds roughly_from{HUGE_VAL};
  // Of these arrivals and nodes, where there is one already; null: it is made.
  const RankSample* sample = nullptr;
  // What simulations need meanwhile lies here, as far as there is room. Nothing else uses it.
  std::span<std::byte> scratch{};
};

// Simulates the call as it is, and returns its post-arrival time; some time beyond the limit where it takes longer.
// Errors: those of simulate().
Result<Seconds> simulatedTime(const CallToPredict& call, SimulationScope scope = {});

// Returns the sample of the call's ranks.
RankSample sampleOf(const CallToPredict& call);

// Calls of more ranks than this would take too long to simulate in a call of rank 0: a dozen of them with 2 P (P - 1)
// messages each.
inline constexpr std::int32_t kMostSimulatedRanks = 15;

// Returns the predicted post-arrival time: simulated, or, of many ranks, predicted from fewer. REQUIRES: what
// buildSchedule() requires. Errors: those of simulate().
Result<Seconds> predictPostArrivalTime(const CallToPredict& call);

// Predicts from fewer ranks. Its own time is bounded, whatever the ranks and the vector: where even the smallest calls
// have more segments than can be simulated in it, the prediction is that of fewer. REQUIRES, Errors: as above; and
// there are so many ranks that a few of them say something: 16 or more.
Result<Seconds> predictFromFewerRanks(const CallToPredict& call);

}  // namespace starling
