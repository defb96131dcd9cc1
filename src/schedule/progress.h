// Tells how far every rank of a call is, in the order of execution that schedule.h promises, without a notion of time.
// Verifier and simulator both run on it, so what is proved is what is simulated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

#include "schedule/step_graph.h"

namespace starling {

// The driver says what happened (a rank arrived, a message was delivered, a reduction was combined) and asks what has
// become possible. Sends are unbuffered: a message can go once both its steps have started.
// The graph outlives it. THREADS: one thread.
class Progress {
 public:
  // `window` bounds both directions; 0 keeps the schedules' own window and pacing.
  Progress(const StepGraph& graph, std::int32_t window,
           std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // Notes that the rank is present and may start its steps.
  void arrive(std::int32_t rank);
  // Notes that the last byte of this kSend step's message has left its sender.
  void depart(StepId send);
  // Notes that this message has come to its receiver.
  void deliver(StepId send);
  // Notes that this kReduce or kCombine step has been combined into its block.
  void combine(StepId step);

  // Returns the messages, by their kSend steps, that became possible since the last call, in ascending order. This list
  // and the next one are good until either function is called again.
  const std::pmr::vector<StepId>& takeReady() { return takeSorted(ready_); }
  // Returns the kReduce steps that have their message and the kCombine steps that became combinable since the last
  // call, in ascending order.
  const std::pmr::vector<StepId>& takeCombinable() { return takeSorted(combinable_); }

  // These tell whether all steps of the rank, or of all ranks, are complete.
  bool isDone(std::int32_t rank) const { return steps_left_[rank] == 0; }
  bool isDone() const { return ranks_left_ == 0; }
  // Names, for people, the first step that is not complete on each rank that is not done.
  std::string describeWaiting() const;

 private:
  // Holds the steps of one rank, lane and direction, which start in program order.
  struct Queue {
    std::uint32_t next = 0;  // into queued_
    std::uint32_t end = 0;
    std::int32_t in_flight = 0;
    std::int32_t most_in_flight = 1;
    std::int32_t reduces = 0;  // of those in flight
    std::int32_t most_reduces = 1;
  };

  // Holds what is needed of a step each time that something happens to it, close together.
  struct State {
    std::uint32_t queue = 0;
    std::uint32_t pending = 0;  // dependencies that are not complete
    StepKind kind = StepKind::kSend;
    bool is_started = false;
    bool is_delivered = false;  // a kReduce has its message
    bool is_complete = false;
  };

  void fillQueues(std::int32_t window);
  void startFrom(std::size_t queue);
  void complete(StepId id);
  void release(StepId id);
  // There is nothing to take at most times, or one step.
  const std::pmr::vector<StepId>& takeSorted(std::pmr::vector<StepId>& steps) {
    taken_.swap(steps);
    steps.clear();
    if (taken_.size() > 1) std::sort(taken_.begin(), taken_.end());
    return taken_;
  }

  const StepGraph& graph_;
  std::pmr::vector<Queue> queues_;
  std::pmr::vector<StepId> queued_;
  std::pmr::vector<State> states_;            // by step
  std::pmr::vector<std::size_t> steps_left_;  // by rank
  std::int32_t ranks_left_ = 0;
  std::pmr::vector<StepId> ready_;
  std::pmr::vector<StepId> combinable_;
  std::pmr::vector<StepId> taken_;  // a buffer of its own, so that none is allocated each time
};

}  // namespace starling
