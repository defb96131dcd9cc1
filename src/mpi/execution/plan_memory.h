// The memory that planned calls of one communicator take.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "algos/catalogue.h"
#include "base/reserve.h"
#include "mpi/execution/agreed_memory.h"
#include "mpi/execution/channel.h"
#include "mpi/execution/node_channel.h"
#include "simulator/simulator.h"
#include "tuner/plan.h"
#include "tuner/signature.h"

namespace starling {

// An algorithm takes scratch beside the vectors, and memory in which its schedule is built, kept and run. In a call no
// allocation may fail on one rank alone, so both are taken beforehand and agreed on.
// THREADS: not thread-safe; one per communicator.
class PlanMemory {
 public:
  // Both outlive it. Schedules are made in `reserve`.
  PlanMemory(Channel& channel, Reserve& reserve) : channel_(channel), reserve_(reserve) {}
  PlanMemory(const PlanMemory&) = delete;
  PlanMemory& operator=(const PlanMemory&) = delete;

  // Says what the ranks run on, which all that follows is reserved for. Topology and node outlive this object; the
  // node, through whose memory calls may go, may be null.
  void setMachine(const CostModel& model, const Topology& topology, NodeChannel* node) {
    model_ = model;
    topology_ = &topology;
    node_ = node;
  }
  // The channel is gone; plans may still come.
  void forgetNode() { node_ = nullptr; }

  // Returns whether the program and the MPI library have enough left when so many bytes more are taken.
  bool mayTake(std::size_t bytes);
  // Returns whether schedules must not be kept beyond their calls: one has been made in the reserve, which has to be
  // there for each call, or the program and the MPI library have too little.
  bool isScarce();

  // These take memory, if they can: for calls with one signature, of any size of its class and with every algorithm,
  // and for a plan of these calls, whose parameters may be others. The other ranks do not know of it yet. They are
  // local.
  void reserveFor(const Signature& signature);
  void reserveFor(const KeyPlan& plan, const Signature& signature);
  // Takes what the plan's incumbent needs for calls with the signature, and nothing for other rows.
  void reserveForIncumbent(const KeyPlan& plan, const Signature& signature);

  // Returns this rank's capacities, for the other ranks. Sizes are bytes.
  std::int64_t scratchCapacity() const { return scratch_.capacity(); }
  std::int64_t scheduleCapacity() const { return schedules_.capacity(); }
  // Notes that all ranks have so much.
  void agree(std::int64_t scratch, std::int64_t schedules);

  // Returns whether all ranks are known to have what the algorithm needs for a call, whose elements have so many bytes.
  // Equal on all ranks. REQUIRES: what buildSchedule() requires.
  bool has(const Choice& choice, const Shape& shape, std::size_t element_bytes);
  // The same, but they take what is missing and agree on it at once. Waits for the other ranks.
  bool ensure(const Choice& choice, const Shape& shape, std::size_t element_bytes);

  // Returns scheduleBytes() of the choice. What was asked for lately is remembered, since finding it out takes time.
  std::int64_t scheduleBytesOf(const Choice& choice, const Shape& shape);

 private:
  struct Need {
    Choice choice;
    std::int64_t count = -1;
    std::int64_t bytes = 0;
  };

  void reserveScratch(const Signature& signature);
  void reserveSchedules(const Signature& signature);
  Shape shapeOf(const Signature& signature) const;

  Channel& channel_;
  Reserve& reserve_;
  bool is_short_ = false;  // memory has been
  AgreedMemory scratch_{"calls",
                        [this](std::size_t bytes) { return mayTake(bytes) && channel_.executor().reserve(bytes); }};
  AgreedMemory schedules_{"schedules", [this](std::size_t bytes) { return mayTake(bytes) && reserve_.grow(bytes); }};
  CostModel model_;
  const Topology* topology_ = nullptr;
  NodeChannel* node_ = nullptr;
  std::array<Need, 8> needs_;
  std::size_t next_need_ = 0;
};

}  // namespace starling
