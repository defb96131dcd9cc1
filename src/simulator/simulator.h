// Runs schedules on virtual time, as the tuner's prior, the tests' stopwatch, and for `starling simulate`.
//
// Model. A message of n bytes takes alpha + beta n. It starts when sender and receiver have both started their step
// (unbuffered), the sender has a free port out and the receiver a free port in. Ports serve in the order in which
// messages become ready, ties by lower rank, then program order; no message overtakes another of its sender at one
// port. It holds both ports for overhead + beta n; the rest of alpha is pure delay. Where ports are shared, every
// message starts when both steps have, and those that have a port in common share it (shared_ports.h): then it takes
// longer. The sender's step ends `release` after the last byte has left it, the receiver's when it has come; a rank
// exits when all its steps have ended, sends included. Ranks of one node share its ports for what goes to other nodes;
// among themselves each has ports of its own, and a message takes inner_alpha + inner_beta n. A reduction takes gamma n
// on the receiver, one at a time. Source: the Hockney model as in Proficz 2018, section 3, with the gap between
// messages of LogGP (Alexandrov et al. 1995).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "schedule/schedule.h"

namespace starling {

struct CostModel {
  Seconds alpha{2e-6};
  double beta = 8e-9;      // seconds per byte on the wire
  double gamma = 0.0;      // seconds per byte reduced
  std::int32_t ports = 1;  // transfers that a rank may have in flight each way, where they take turns
  bool shared = false;     // they take no turns: all transfers share the ports of their two ranks
  Seconds overhead{0.0};   // by which messages in a row follow each other, beyond their bytes; part of alpha
  Seconds release{0.0};    // from when the last byte has left to when the sender knows; at most the rest of alpha
  // These hold between two ranks of one node; with an alpha of 0 nodes make no difference.
  Seconds inner_alpha{0.0};
  double inner_beta = 0.0;
  // A call through shared memory takes this when it is short, and its copies this for each byte; 0 = not known.
  Seconds node_alpha{0.0};
  double node_beta = 0.0;
  // The same of calls whose ranks read each other's memory; an alpha of 0: not known, or they may not.
  Seconds read_alpha{0.0};
  double read_beta = 0.0;
};

// One transfer of a simulated call.
struct Transfer {
  std::int32_t source = 0;  // virtual ranks
  std::int32_t target = 0;
  Block block;
  StepKind kind = StepKind::kReceive;  // what the receiver does: kReceive or kReduce
  Seconds start;
  Seconds end;  // arrival of the last byte
};

// A rank that stands for several: what it sends out of its node takes so many times as long, by lane, and its exit
// counts in the mean like those of `ranks`.
struct StandIn {
  std::array<double, kMaxLanes> bytes{};
  std::array<double, kMaxLanes> overhead{};
  double ranks = 1.0;
};

struct SimulatedCall {
  std::vector<Seconds> exits;       // by virtual rank
  std::vector<Transfer> transfers;  // ordered by start

  Seconds lastExit() const;
  Seconds meanExit(std::span<const StandIn> stand_ins = {}) const;
};

// Tells what of a call is wanted.
struct SimulationScope {
  std::int32_t window = 0;    // 1 or more takes the place of the schedules' own window and pacing; 0 keeps both
  bool has_transfers = true;  // else SimulatedCall::transfers stays empty
  std::span<const StandIn> stand_ins{};  // by virtual rank; empty: each rank stands for itself
  // CostModel::overhead and release of messages within a node; not there: as between nodes.
  std::optional<Seconds> inner_overhead{};
  std::optional<Seconds> inner_release{};
  Seconds most_mean_exit{HUGE_VAL};  // a call whose mean exit is later is given up
  bool are_sane = false;             // the schedules are what StepGraph::ofSane() requires, which is not checked
  // What is needed meanwhile comes from here.
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();
};

// Runs `schedules` (one per virtual rank, in order) with the given arrivals (same length). `nodes` has nodes by virtual
// rank, as in Topology; where it is empty, each rank has a node of its own. Where the call is given up, the exits of
// ranks that had not come so far are when it was, so that the mean exit is above the most and too early. A deadlocked
// schedule gives an error that names the ranks and steps that wait.
Result<SimulatedCall> simulate(std::span<const Schedule> schedules, Bytes element_size, const CostModel& model,
                               std::span<const Seconds> arrivals, std::span<const std::int32_t> nodes = {},
                               const SimulationScope& scope = {});

// Returns the mean exit minus the last arrival, which is the figure that candidates are compared by. `stand_ins`: the
// call's.
Seconds postArrivalTime(const SimulatedCall& call, std::span<const Seconds> arrivals,
                        std::span<const StandIn> stand_ins = {});

}  // namespace starling
