#include "schedule/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace starling {
namespace {

constexpr std::size_t kDirections = 2;  // of messages: sends, and receives with reduces
constexpr std::size_t kSendDirection = 0;
constexpr std::size_t kQueuesPerRank = kMaxLanes * kDirections;
constexpr int kRanksNamed = 8;

}  // namespace

Progress::Progress(const StepGraph& graph, std::int32_t window)
    : graph_(graph),
      pending_(graph.size()),
      is_started_(graph.size(), 0),
      is_delivered_(graph.size(), 0),
      is_complete_(graph.size(), 0) {
  for (StepId id = 0; id < graph.size(); ++id) pending_[id] = graph.step(id).dependency_count;
  for (std::int32_t rank = 0; rank < graph.ranks(); ++rank) {
    steps_left_.push_back(graph.schedule(rank).steps.size());
    if (steps_left_.back() > 0) ++ranks_left_;
  }
  fillQueues(window);
}

std::size_t Progress::queueOf(StepId id) const {
  const Step& step = graph_.step(id);
  const std::size_t direction = step.kind == StepKind::kSend ? kSendDirection : 1;
  return (graph_.rankOf(id) * std::size_t{kMaxLanes} + step.lane) * kDirections + direction;
}

void Progress::fillQueues(std::int32_t window) {
  queues_.resize(graph_.ranks() * kQueuesPerRank);
  const auto for_each_message = [this](const auto& action) {
    for (StepId id = 0; id < graph_.size(); ++id) {
      if (isMessage(graph_.step(id))) action(queues_[queueOf(id)], id);
    }
  };
  for_each_message([](Queue& queue, StepId) { ++queue.end; });
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
  queued_.resize(graph_.size());
  for_each_message([this](Queue& queue, StepId id) { queued_[queue.end++] = id; });
}

void Progress::arrive(std::int32_t rank) {
  for (std::size_t i = 0; i < kQueuesPerRank; ++i) startFrom(rank * kQueuesPerRank + i);
  const StepId first = graph_.firstOf(rank);
  for (StepId id = first; id < first + graph_.schedule(rank).steps.size(); ++id) {
    if (!isMessage(graph_.step(id)) && pending_[id] == 0) combinable_.push_back(id);
  }
}

// Starts what may start in this queue. A reduce takes its message before its dependencies are complete.
void Progress::startFrom(std::size_t index) {
  Queue& queue = queues_[index];
  while (queue.next < queue.end && queue.in_flight < queue.most_in_flight) {
    const StepId id = queued_[queue.next];
    const bool is_send = graph_.step(id).kind == StepKind::kSend;
    const bool is_reduce = graph_.step(id).kind == StepKind::kReduce;
    if (is_reduce ? queue.reduces == queue.most_reduces : pending_[id] > 0) return;
    ++queue.next;
    ++queue.in_flight;
    queue.reduces += is_reduce ? 1 : 0;
    is_started_[id] = 1;
    const StepId partner = graph_.partnerOf(id);
    if (is_started_[partner] != 0) ready_.push_back(is_send ? id : partner);
  }
}

void Progress::depart(StepId send) { complete(send); }

void Progress::deliver(StepId send) {
  const StepId receiver = graph_.partnerOf(send);
  is_delivered_[receiver] = 1;
  if (graph_.step(receiver).kind == StepKind::kReceive) {
    complete(receiver);
  } else if (pending_[receiver] == 0) {
    combinable_.push_back(receiver);
  }
}

void Progress::combine(StepId step) { complete(step); }

void Progress::complete(StepId id) {
  const std::int32_t rank = graph_.rankOf(id);
  const Step& step = graph_.step(id);
  is_complete_[id] = 1;
  if (isMessage(step)) {
    Queue& queue = queues_[queueOf(id)];
    --queue.in_flight;
    queue.reduces -= step.kind == StepKind::kReduce ? 1 : 0;
  }
  if (--steps_left_[rank] == 0) --ranks_left_;
  for (const StepId dependent : graph_.dependentsOf(id)) {
    if (--pending_[dependent] == 0) release(dependent);
  }
  if (isMessage(step)) startFrom(queueOf(id));
}

// Is called when nothing that the step waits for is open any more.
void Progress::release(StepId id) {
  const StepKind kind = graph_.step(id).kind;
  if (kind == StepKind::kCombine || (kind == StepKind::kReduce && is_delivered_[id] != 0)) combinable_.push_back(id);
  if (kind == StepKind::kSend || kind == StepKind::kReceive) startFrom(queueOf(id));
}

const std::vector<StepId>& Progress::takeSorted(std::vector<StepId>& steps) {
  taken_.swap(steps);
  steps.clear();
  std::sort(taken_.begin(), taken_.end());
  return taken_;
}

std::string Progress::describeWaiting() const {
  std::string text;
  int named = 0;
  for (std::int32_t rank = 0; rank < graph_.ranks(); ++rank) {
    if (isDone(rank)) continue;
    if (named++ == kRanksNamed) return text + "; and more ranks";
    StepId id = graph_.firstOf(rank);
    while (is_complete_[id] != 0) ++id;
    text += (text.empty() ? "" : "; ") + graph_.describe(id);
  }
  return text;
}

}  // namespace starling
