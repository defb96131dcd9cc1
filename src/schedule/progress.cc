#include "schedule/progress.h"

#include <fmt/format.h>

#include <utility>

namespace starling {
namespace {

constexpr std::size_t kDirections = 2;  // of messages: sends, and receives with reduces
constexpr std::size_t kSendDirection = 0;
constexpr std::size_t kQueuesPerRank = kMaxLanes * kDirections;
constexpr int kRanksNamed = 8;

}  // namespace

Progress::Progress(const StepGraph& graph, std::int32_t window, std::pmr::memory_resource* memory)
    : graph_(graph),
      queues_(graph.ranks() * kQueuesPerRank, memory),
      queued_(graph.size(), memory),
      states_(graph.size(), memory),
      steps_left_(memory),
      ready_(memory),
      combinable_(memory),
      taken_(memory) {
  steps_left_.reserve(static_cast<std::size_t>(graph.ranks()));
  for (std::int32_t rank = 0; rank < graph.ranks(); ++rank) {
    steps_left_.push_back(graph.schedule(rank).steps.size());
    if (steps_left_.back() > 0) ++ranks_left_;
  }
  for (StepId id = 0; id < graph.size(); ++id) {
    const Step& step = graph.step(id);
    const std::size_t direction = step.kind == StepKind::kSend ? kSendDirection : 1;
    const std::size_t queue = (graph.rankOf(id) * std::size_t{kMaxLanes} + step.lane) * kDirections + direction;
    states_[id] = {.queue = static_cast<std::uint32_t>(queue), .pending = step.dependency_count, .kind = step.kind};
    if (step.kind != StepKind::kCombine) ++queues_[queue].end;
  }
  fillQueues(window);
}

// REQUIRES: Queue::end counts the messages of the queue.
void Progress::fillQueues(std::int32_t window) {
  std::uint32_t begin = 0;
  std::vector<std::int32_t> reduces;
  for (std::int32_t rank = 0; rank < graph_.ranks(); ++rank) {
    const Schedule& schedule = graph_.schedule(rank);
    reduces.push_back(reducesInFlight(schedule, window > 0 ? window : schedule.window));
  }
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    Queue& queue = queues_[i];
    const Schedule& schedule = graph_.schedule(static_cast<std::int32_t>(i / kQueuesPerRank));
    queue.most_reduces = reduces[i / kQueuesPerRank];
    const bool sends = i % kDirections == kSendDirection;
    const std::size_t lane = i / kDirections % kMaxLanes;
    queue.most_in_flight = window > 0 ? window : (sends ? pacingOf(schedule, lane) : windowOf(schedule, lane));
    queue.next = begin;
    begin += std::exchange(queue.end, begin);
  }
  for (StepId id = 0; id < graph_.size(); ++id) {
    if (states_[id].kind != StepKind::kCombine) queued_[queues_[states_[id].queue].end++] = id;
  }
}

void Progress::arrive(std::int32_t rank) {
  for (std::size_t i = 0; i < kQueuesPerRank; ++i) startFrom(rank * kQueuesPerRank + i);
  const StepId first = graph_.firstOf(rank);
  for (StepId id = first; id < first + graph_.schedule(rank).steps.size(); ++id) {
    if (states_[id].kind == StepKind::kCombine && states_[id].pending == 0) combinable_.push_back(id);
  }
}

// Starts what may start in this queue. A reduce takes its message before its dependencies are complete.
void Progress::startFrom(std::size_t index) {
  Queue& queue = queues_[index];
  while (queue.next < queue.end && queue.in_flight < queue.most_in_flight) {
    const StepId id = queued_[queue.next];
    State& state = states_[id];
    const bool is_reduce = state.kind == StepKind::kReduce;
    if (is_reduce ? queue.reduces == queue.most_reduces : state.pending > 0) return;
    ++queue.next;
    ++queue.in_flight;
    queue.reduces += is_reduce ? 1 : 0;
    state.is_started = true;
    const StepId partner = graph_.partnerOf(id);
    if (states_[partner].is_started) ready_.push_back(state.kind == StepKind::kSend ? id : partner);
  }
}

void Progress::depart(StepId send) { complete(send); }

void Progress::deliver(StepId send) {
  const StepId receiver = graph_.partnerOf(send);
  State& state = states_[receiver];
  state.is_delivered = true;
  if (state.kind == StepKind::kReceive) {
    complete(receiver);
  } else if (state.pending == 0) {
    combinable_.push_back(receiver);
  }
}

void Progress::combine(StepId step) { complete(step); }

void Progress::complete(StepId id) {
  State& state = states_[id];
  const bool is_message = state.kind != StepKind::kCombine;
  state.is_complete = true;
  if (is_message) {
    Queue& queue = queues_[state.queue];
    --queue.in_flight;
    queue.reduces -= state.kind == StepKind::kReduce ? 1 : 0;
  }
  if (--steps_left_[graph_.rankOf(id)] == 0) --ranks_left_;
  for (const StepId dependent : graph_.dependentsOf(id)) {
    if (--states_[dependent].pending == 0) release(dependent);
  }
  if (is_message) startFrom(state.queue);
}

// Is called when nothing that the step waits for is open any more.
void Progress::release(StepId id) {
  const State& state = states_[id];
  const bool is_combine = state.kind == StepKind::kCombine;
  if (is_combine || (state.kind == StepKind::kReduce && state.is_delivered)) combinable_.push_back(id);
  if (state.kind == StepKind::kSend || state.kind == StepKind::kReceive) startFrom(state.queue);
}

std::string Progress::describeWaiting() const {
  std::string text;
  int named = 0;
  for (std::int32_t rank = 0; rank < graph_.ranks(); ++rank) {
    if (isDone(rank)) continue;
    if (named++ == kRanksNamed) return text + "; and more ranks";
    StepId id = graph_.firstOf(rank);
    while (states_[id].is_complete) ++id;
    text += (text.empty() ? "" : "; ") + graph_.describe(id);
  }
  return text;
}

}  // namespace starling
