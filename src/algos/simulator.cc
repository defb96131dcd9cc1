#include "algos/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "algos/named_late.h"
#include "algos/progress.h"
#include "algos/shared_ports.h"
#include "algos/step_graph.h"

namespace starling {
namespace {

// Times are multiples of 2^-40 s (about a picosecond). Their sums are exact for calls of up to two hours, so that what
// happens at the same time compares equal, however it was reached.
double onGrid(double seconds) { return std::ldexp(std::nearbyint(std::ldexp(seconds, 40)), -40); }

enum class EventKind : std::uint8_t { kArrival, kPortsFree, kShared, kDeparted, kDelivered, kCombined };

struct Event {
  double time;
  EventKind kind;
  // kArrival: the rank; kPortsFree, kDeparted, kDelivered: the kSend step; kShared: the transfer that may have left;
  // kCombined: the kReduce step.
  StepId subject;

  bool operator>(const Event& other) const {
    return std::tie(time, kind, subject) > std::tie(other.time, other.kind, other.subject);
  }
};

// A message that waits for ports. The step id orders by lower rank, then program order.
struct Waiting {
  double ready;
  StepId send;

  auto operator<=>(const Waiting&) const = default;
};

class Simulation {
 public:
  Simulation(const StepGraph& graph, Bytes element_size, const CostModel& model, std::int32_t window)
      : graph_(graph),
        progress_(graph, window),
        element_size_(static_cast<double>(element_size.value)),
        model_(model),
        overhead_(onGrid(std::min(model.overhead, model.alpha).value)),
        flight_(onGrid(model.alpha.value) - overhead_),
        release_(std::min(onGrid(model.release.value), flight_)),
        ranks_(graph.ranks()),
        shared_(graph.ranks()) {}

  Result<SimulatedCall> run(std::span<const Seconds> arrivals) {
    for (std::int32_t rank = 0; rank < graph_.ranks(); ++rank) {
      events_.push({onGrid(arrivals[rank].value), EventKind::kArrival, static_cast<StepId>(rank)});
    }
    call_.exits.resize(arrivals.size());
    while (!events_.empty()) {
      now_ = events_.top().time;
      while (!events_.empty() && events_.top().time == now_) {
        const Event event = events_.top();
        events_.pop();
        handle(event);
      }
      serveReducers();
      if (model_.shared) {
        sharePorts();
      } else {
        servePorts();
      }
    }
    if (!progress_.isDone()) {
      return Status::error(fmt::format("The simulated call deadlocks: {}.", progress_.describeWaiting()));
    }
    return std::move(call_);
  }

 private:
  struct Rank {
    std::int32_t busy_out = 0;
    std::int32_t busy_in = 0;
    std::vector<Waiting> out;  // ascending, as is `in`; together they hold every waiting message twice
    std::vector<Waiting> in;
    bool is_reducing = false;
    std::queue<StepId> reductions;  // that may be combined
  };

  // A transfer on shared ports.
  struct Carried {
    StepId send = 0;
    std::size_t transfer = 0;  // in the call's
    double end = -1.0;         // when the last byte leaves; negative: has left
  };

  double secondsFor(double per_byte, const Block& block) const {
    return onGrid(per_byte * element_size_ * static_cast<double>(block.count));
  }
  Rank& sender(StepId send) { return ranks_[graph_.rankOf(send)]; }
  Rank& receiver(StepId send) { return ranks_[graph_.step(send).peer]; }

  void handle(const Event& event) {
    switch (event.kind) {
      case EventKind::kArrival:
        progress_.arrive(static_cast<std::int32_t>(event.subject));
        noteExit(static_cast<std::int32_t>(event.subject));
        break;
      case EventKind::kPortsFree:
        --sender(event.subject).busy_out;
        --receiver(event.subject).busy_in;
        freed_.push_back(graph_.rankOf(event.subject));
        freed_.push_back(graph_.step(event.subject).peer);
        break;
      case EventKind::kShared:
        if (carried_[event.subject].end == now_) endShared(event.subject);
        break;
      case EventKind::kDeparted:
        progress_.depart(event.subject);
        noteExit(graph_.rankOf(event.subject));
        break;
      case EventKind::kDelivered:
        progress_.deliver(event.subject);
        noteExit(graph_.step(event.subject).peer);
        break;
      case EventKind::kCombined:
        ranks_[graph_.rankOf(event.subject)].is_reducing = false;
        progress_.combine(event.subject);
        noteExit(graph_.rankOf(event.subject));
        startReduction(graph_.rankOf(event.subject));
        break;
    }
  }

  void noteExit(std::int32_t rank) {
    if (progress_.isDone(rank)) call_.exits[rank] = {now_};
  }

  void serveReducers() {
    for (const StepId reduce : progress_.takeCombinable()) {
      ranks_[graph_.rankOf(reduce)].reductions.push(reduce);
      startReduction(graph_.rankOf(reduce));
    }
  }

  void startReduction(std::int32_t index) {
    Rank& rank = ranks_[index];
    if (rank.is_reducing || rank.reductions.empty()) return;
    const StepId reduce = rank.reductions.front();
    rank.reductions.pop();
    rank.is_reducing = true;
    events_.push({now_ + secondsFor(model_.gamma, graph_.step(reduce).block), EventKind::kCombined, reduce});
  }

  // Starts what has both its ports free: messages that became ready now, and those that waited for a port freed now.
  void servePorts() {
    do {
      serveOnce();
    } while (!freed_.empty());
  }

  void serveOnce() {
    std::vector<Waiting> candidates;
    for (const std::int32_t rank : std::exchange(freed_, {})) {
      candidates.insert(candidates.end(), ranks_[rank].out.begin(), ranks_[rank].out.end());
      candidates.insert(candidates.end(), ranks_[rank].in.begin(), ranks_[rank].in.end());
    }
    for (const StepId send : progress_.takeReady()) {
      candidates.push_back({now_, send});
      sender(send).out.push_back(candidates.back());
      receiver(send).in.push_back(candidates.back());
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (const Waiting& waiting : candidates) {
      const Rank& source = sender(waiting.send);
      const bool is_next = source.out.front() == waiting;
      if (is_next && source.busy_out < model_.ports && receiver(waiting.send).busy_in < model_.ports) {
        startTransfer(waiting);
        // With a port left the sender's next message may go, too.
        if (model_.ports > 1) freed_.push_back(graph_.rankOf(waiting.send));
      }
    }
  }

  void startTransfer(const Waiting& waiting) {
    const StepId send = waiting.send;
    const Step& step = graph_.step(send);
    std::erase(sender(send).out, waiting);
    std::erase(receiver(send).in, waiting);
    ++sender(send).busy_out;
    ++receiver(send).busy_in;
    const double busy = overhead_ + secondsFor(model_.beta, step.block);
    const double end = now_ + busy + flight_;
    events_.push({now_ + busy, EventKind::kPortsFree, send});
    events_.push({now_ + busy + release_, EventKind::kDeparted, send});
    events_.push({end, EventKind::kDelivered, send});
    note(send, end);
  }

  void note(StepId send, double end) {
    const Step& step = graph_.step(send);
    call_.transfers.push_back({graph_.rankOf(send), step.peer, step.block, graph_.step(graph_.partnerOf(send)).kind,
                               Seconds{now_}, Seconds{end}});
  }

  // Starts what became ready now, and shares the ports anew.
  void sharePorts() {
    for (const StepId send : progress_.takeReady()) {
      const Step& step = graph_.step(send);
      const double seconds = overhead_ + secondsFor(model_.beta, step.block);
      const SharedPorts::Id id = shared_.begin(graph_.rankOf(send), step.peer, seconds, now_);
      if (id >= carried_.size()) carried_.resize(id + 1);
      carried_[id] = {.send = send, .transfer = call_.transfers.size()};
      note(send, now_);
    }
    for (const SharedPorts::Id id : shared_.update(now_)) {
      carried_[id].end = onGrid(shared_.endOf(id));
      events_.push({carried_[id].end, EventKind::kShared, id});
    }
  }

  void endShared(SharedPorts::Id id) {
    Carried& carried = carried_[id];
    carried.end = -1.0;
    shared_.end(id);
    call_.transfers[carried.transfer].end = Seconds{now_ + flight_};
    events_.push({now_ + release_, EventKind::kDeparted, carried.send});
    events_.push({now_ + flight_, EventKind::kDelivered, carried.send});
  }

  const StepGraph& graph_;
  Progress progress_;
  const double element_size_;
  const CostModel model_;
  const double overhead_;
  const double flight_;   // what is pure delay
  const double release_;  // and how much of it the sender waits for
  std::vector<Rank> ranks_;
  SharedPorts shared_;
  std::vector<Carried> carried_;     // by id in shared_
  std::vector<std::int32_t> freed_;  // ranks that had a port freed now
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  double now_ = 0.0;
  SimulatedCall call_;
};

bool isDuration(double seconds) { return std::isfinite(seconds) && seconds >= 0.0; }

Status checkInputs(std::span<const Schedule> schedules, Bytes element_size, const CostModel& model,
                   std::span<const Seconds> arrivals, std::int32_t window) {
  if (arrivals.size() != schedules.size()) {
    return Status::error(fmt::format("There are {} schedules and {} arrivals; give one of each per rank.",
                                     schedules.size(), arrivals.size()));
  }
  if (!isDuration(model.alpha.value) || !isDuration(model.overhead.value) || !isDuration(model.release.value) ||
      !isDuration(model.beta) || !isDuration(model.gamma) || model.ports < 1 || element_size.value < 0 || window < 0) {
    return Status::error(
        "alpha, overhead, beta, gamma, the element size and the window must be finite and not negative, and there must "
        "be a port.");
  }
  const auto is_finite = [](Seconds arrival) { return std::isfinite(arrival.value); };
  if (!std::all_of(arrivals.begin(), arrivals.end(), is_finite)) return Status::error("An arrival is not finite.");
  return Status::ok();
}

}  // namespace

Seconds SimulatedCall::lastExit() const {
  return exits.empty() ? Seconds{} : *std::max_element(exits.begin(), exits.end());
}

Seconds SimulatedCall::meanExit() const {
  Seconds sum;
  for (const Seconds exit : exits) sum += exit;
  return exits.empty() ? Seconds{} : Seconds{sum.value / static_cast<double>(exits.size())};
}

Result<SimulatedCall> simulate(std::span<const Schedule> schedules, Bytes element_size, const CostModel& model,
                               std::span<const Seconds> arrivals, std::int32_t window) {
  const Status usable = checkInputs(schedules, element_size, model, arrivals, window);
  if (!usable.isOk()) return usable;
  const Result<StepGraph> graph = StepGraph::make(schedules);
  if (!graph.isOk()) return graph.status();
  return Simulation(graph.value(), element_size, model, window).run(arrivals);
}

std::vector<Schedule> buildAll(const Choice& choice, const Shape& shape, std::span<const std::int64_t> lateness_ns) {
  const Algorithm& algorithm = *findAlgorithm(choice.algorithm);
  std::vector<Schedule> schedules;
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    schedules.push_back(buildSchedule(
        algorithm,
        {.shape = shape, .virtual_rank = rank, .parameters = choice.parameters, .lateness_ns = lateness_ns}));
  }
  return schedules;
}

namespace {

// What the exchange of flags makes of the arrivals: who is named, and when each rank knows it.
struct Naming {
  std::vector<std::int32_t> named;
  std::vector<Seconds> known;
};

Naming nameLate(std::int32_t late, const CostModel& model, std::span<const Seconds> arrivals) {
  const std::size_t ranks = arrivals.size();
  std::vector<std::int32_t> others(ranks - 1);
  std::iota(others.begin(), others.end(), 1);
  std::stable_sort(others.begin(), others.end(),
                   [&](std::int32_t a, std::int32_t b) { return arrivals[a] < arrivals[b]; });
  Naming naming;
  naming.named.assign(others.end() - late, others.end());
  others.resize(others.size() - late);
  Seconds names_sent = arrivals.front();
  if (!others.empty()) names_sent = std::max(names_sent, arrivals[others.back()] + model.alpha);
  naming.known.assign(arrivals.begin(), arrivals.end());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const Seconds sent = names_sent + static_cast<double>(rank) * model.overhead;
    naming.known[rank] = std::max(naming.known[rank], rank == 0 ? sent : sent + model.alpha);
  }
  return naming;
}

}  // namespace

Result<SimulatedCall> simulateChoice(const Choice& choice, const Shape& shape, Bytes element_size,
                                     const CostModel& model, std::span<const Seconds> arrivals,
                                     std::span<const std::int64_t> lateness_ns) {
  const std::int32_t late = announcedRanks(choice, shape.ranks);
  if (late == 0) return simulate(buildAll(choice, shape, lateness_ns), element_size, model, arrivals);
  const Naming naming = nameLate(late, model, arrivals);
  NamedArrangement arranged;
  arranged.arrange(shape.ranks, {}, naming.named, !shape.commutative);
  const auto rank_at = [&](std::int32_t place) { return arranged.table.empty() ? place : arranged.table[place]; };
  std::vector<Seconds> known;
  for (std::int32_t place = 0; place < shape.ranks; ++place) known.push_back(naming.known[rank_at(place)]);
  const std::vector<Schedule> schedules = buildAll(choice, shape, arranged.lateness_ns);
  Result<SimulatedCall> call = simulate(schedules, element_size, model, known);
  if (!call.isOk()) return call;
  SimulatedCall renamed = std::move(call).value();
  const std::vector<Seconds> exits = renamed.exits;
  for (std::int32_t place = 0; place < shape.ranks; ++place) renamed.exits[rank_at(place)] = exits[place];
  for (Transfer& transfer : renamed.transfers) {
    transfer.source = rank_at(transfer.source);
    transfer.target = rank_at(transfer.target);
  }
  return renamed;
}

bool namesStepTime(std::string_view choice) {
  const auto names = [choice](std::string_view parameter) {
    return choice.find(std::string(parameter) + "=") != std::string_view::npos;
  };
  return names(kStepTimeParameter) || names(kVectorTimeParameter);
}

void setStepTime(Choice& choice, const Shape& shape, Bytes element_size, const CostModel& model) {
  const Algorithm& algorithm = *findAlgorithm(choice.algorithm);
  const auto set = [&](std::string_view name, Seconds time) {
    const std::optional<std::size_t> index = findParameter(algorithm, name);
    if (!index) return;
    const Parameter& parameter = algorithm.parameters[*index];
    choice.parameters[*index] = std::clamp(toNanoseconds(time), parameter.minimum, parameter.maximum);
  };
  const auto bytes = static_cast<double>(shape.count * element_size.value);
  set(kStepTimeParameter, Seconds{model.alpha.value + model.beta * bytes / shape.ranks});
  set(kVectorTimeParameter, Seconds{model.alpha.value + (model.beta + model.gamma) * bytes});
}

void setBestSegments(Choice& choice, const Shape& shape, Bytes element_size, const CostModel& model) {
  const Algorithm& algorithm = *findAlgorithm(choice.algorithm);
  const std::optional<std::size_t> index = findParameter(algorithm, kSegmentsParameter);
  if (!index || algorithm.best_segments == nullptr || shape.ranks < 2 || model.alpha <= Seconds{}) return;
  const double bytes = static_cast<double>(shape.count * element_size.value);
  const double best = algorithm.best_segments(shape.ranks, bytes * model.beta / model.alpha.value);
  const std::int64_t most = std::min(algorithm.parameters[*index].maximum, std::max<std::int64_t>(shape.count, 1));
  choice.parameters[*index] = std::llround(std::clamp(best, 1.0, static_cast<double>(most)));
}

Seconds postArrivalTime(const SimulatedCall& call, std::span<const Seconds> arrivals) {
  return arrivals.empty() ? Seconds{} : call.meanExit() - *std::max_element(arrivals.begin(), arrivals.end());
}

}  // namespace starling
