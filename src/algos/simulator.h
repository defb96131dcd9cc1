// Schedules on virtual time: the tuner's prior, the tests' stopwatch, and `starling simulate`.
//
// Model. A message of n bytes takes alpha + beta n. It starts when sender and receiver have both started their step
// (unbuffered), the sender has a free port out and the receiver a free port in. Ports serve in the order in which
// messages become ready, ties by lower rank, then program order; no message overtakes another of its sender at one
// port. It holds both ports for overhead + beta n; the rest of alpha is pure delay. Where ports are shared, every
// message starts when both steps have, and those that have a port in common share it (shared_ports.h): then it takes
// longer. The sender's step ends `release` after the last byte has left it, the receiver's when it has come; a rank
// exits when all its steps have ended, sends included. Ranks of one node share its ports for what goes to other nodes;
// among themselves each has ports of its own, and a message takes inner_alpha + inner_beta n. A reduction takes gamma n
// on the receiver, one at a time. Source: the Hockney model as in seed 000, section 3, with the gap between messages of
// LogGP (Alexandrov et al. 1995).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "algos/catalogue.h"
#include "algos/schedule.h"
#include "base/units.h"

namespace starling {

struct CostModel {
  Seconds alpha{2e-6};
  double beta = 8e-9;      // seconds per byte on the wire
  double gamma = 0.0;      // seconds per byte reduced
  std::int32_t ports = 1;  // transfers that a rank may have in flight each way, where they take turns
  bool shared = false;     // they take no turns: all transfers share the ports of their two ranks
  Seconds overhead{0.0};   // by which messages in a row follow each other, beyond their bytes; part of alpha
  Seconds release{0.0};    // from when the last byte has left to when the sender knows; at most the rest of alpha
  // Of two ranks of one node; alpha 0: nodes make no difference.
  Seconds inner_alpha{0.0};
  double inner_beta = 0.0;
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

struct SimulatedCall {
  std::vector<Seconds> exits;       // by virtual rank
  std::vector<Transfer> transfers;  // ordered by start

  Seconds lastExit() const;
  Seconds meanExit() const;
};

// Runs `schedules` (one per virtual rank, in order) with the given arrivals (same length). Window 1 or more overrides
// the schedules' own and their pacing; 0 keeps both. `nodes`: by virtual rank, as in Topology; empty: each rank has a
// node of its own. A deadlocked schedule gives an error that names the ranks and steps that wait.
Result<SimulatedCall> simulate(std::span<const Schedule> schedules, Bytes element_size, const CostModel& model,
                               std::span<const Seconds> arrivals, std::int32_t window = 0,
                               std::span<const std::int32_t> nodes = {});

// Builds all ranks' schedules of one choice. REQUIRES: as buildSchedule().
std::vector<Schedule> buildAll(const Choice& choice, const Shape& shape, std::span<const std::int64_t> lateness_ns);

// Simulates one call of the choice: builds its schedules for the predicted latenesses (by virtual rank; empty: on
// time), or, where it has late ranks named, exchanges flags first, with virtual rank 0 as the coordinator. REQUIRES: as
// buildSchedule(). Errors: as simulate().
Result<SimulatedCall> simulateChoice(const Choice& choice, const Shape& shape, Bytes element_size,
                                     const CostModel& model, std::span<const Seconds> arrivals,
                                     std::span<const std::int64_t> lateness_ns);

// The parameter of rows that cut the vector in parts which follow each other.
inline constexpr std::string_view kSegmentsParameter = "segments";

// The parameter by which arrival-aware rows ask for the time of one step: of a P-th part of the vector to a neighbour.
inline constexpr std::string_view kStepTimeParameter = "tau_ns";

// The same of the time of a whole vector, combined.
inline constexpr std::string_view kVectorTimeParameter = "step_ns";

// A choice as users write it gives such a time.
bool namesStepTime(std::string_view choice);

// Sets these parameters from the model, where the algorithm has them.
void setStepTime(Choice& choice, const Shape& shape, Bytes element_size, const CostModel& model);

// Sets the segments by the row's closed form, where it has one; within the parameter's range and the elements there
// are.
void setBestSegments(Choice& choice, const Shape& shape, Bytes element_size, const CostModel& model);

// Mean exit minus last arrival: the figure that candidates are compared by.
Seconds postArrivalTime(const SimulatedCall& call, std::span<const Seconds> arrivals);

}  // namespace starling
