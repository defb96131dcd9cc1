#include "simulator/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "schedule/progress.h"
#include "schedule/step_graph.h"
#include "simulator/event_queue.h"
#include "simulator/shared_ports.h"

namespace starling {
namespace {

// Times are multiples of 2^-40 s (about a picosecond). Their sums are exact for calls of up to two hours, so that what
// happens at the same time compares equal, however it was reached.
double onGrid(double seconds) { return std::nearbyint(seconds * 0x1p40) * 0x1p-40; }

// A message that waits for ports. The step id orders by lower rank, then program order.
struct Waiting {
  double ready;
  StepId send;

  auto operator<=>(const Waiting&) const = default;
};

// Holds what a message costs between two ranks.
struct Wire {
  Wire(Seconds alpha, Seconds longest_overhead, Seconds longest_release, double per_byte)
      : overhead(onGrid(std::min(longest_overhead, alpha).value)),
        flight(onGrid(alpha.value) - overhead),
        release(std::min(onGrid(longest_release.value), flight)),
        beta(per_byte) {}

  double overhead;
  double flight;   // what is pure delay
  double release;  // and how much of it the sender waits for
  double beta;
};

// Returns nodes by rank, counted from 0; empty where they make no difference.
std::vector<std::int32_t> numberedNodes(std::span<const std::int32_t> nodes, const CostModel& model) {
  if (model.inner_alpha <= Seconds{}) return {};
  std::vector<std::int32_t> distinct(nodes.begin(), nodes.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::int32_t> numbered;
  for (const std::int32_t node : nodes) {
    const auto place = std::lower_bound(distinct.begin(), distinct.end(), node);
    numbered.push_back(static_cast<std::int32_t>(place - distinct.begin()));
  }
  return numbered;
}

class Simulation {
 public:
  Simulation(const StepGraph& graph, Bytes element_size, const CostModel& model, std::span<const std::int32_t> nodes,
             const SimulationScope& scope)
      : graph_(graph),
        scope_(scope),
        progress_(graph, scope.window, scope.memory),
        element_size_(static_cast<double>(element_size.value)),
        model_(model),
        nodes_(numberedNodes(nodes, model)),
        between_nodes_(model.alpha, model.overhead, model.release, model.beta),
        within_node_(model.inner_alpha, scope.inner_overhead.value_or(model.overhead),
                     scope.inner_release.value_or(model.release), model.inner_beta),
        ranks_(graph.ranks(), scope.memory),
        reductions_(graph.size(), scope.memory),
        ports_(model.shared ? 0 : graph.ranks() + nodes_.size()),
        shared_(model.shared ? graph.ranks() + static_cast<std::int32_t>(nodes_.size()) : 0, scope.memory),
        carried_(scope.memory),
        events_(scope.memory) {}

  Result<SimulatedCall> run(std::span<const Seconds> arrivals) {
    for (std::int32_t rank = 0; rank < graph_.ranks(); ++rank) {
      events_.push({onGrid(arrivals[rank].value), EventKind::kArrival, static_cast<StepId>(rank)});
      all_ += countOf(rank);
    }
    call_.exits.resize(arrivals.size());
    if (scope_.has_transfers) call_.transfers.reserve(graph_.size() / 2);
    for (now_ = events_.nextTime(); std::isfinite(now_); now_ = events_.nextTime()) {
      if (takesTooLong()) return givenUp();
      events_.handle(now_, [this](const Event& event) { handle(event); });
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
  // This port is a rank's own, or a node's.
  struct Port {
    std::int32_t busy_out = 0;
    std::int32_t busy_in = 0;
    std::vector<Waiting> out;  // ascending, as is `in`; together they hold every waiting message twice
    std::vector<Waiting> in;
  };
  // The rank's reductions that may be combined lie in reductions_, from its first step's place on, in their order.
  struct Rank {
    bool is_reducing = false;
    std::uint32_t reductions = 0;
    std::uint32_t begun = 0;  // of these
  };

  // A transfer on shared ports.
  struct Carried {
    StepId send = 0;
    std::size_t transfer = 0;  // in the call's
    double end = -HUGE_VAL;    // when the last byte leaves; -infinity: it has left
    double next = HUGE_VAL;    // when its next event is
  };

  double countOf(std::int32_t rank) const { return scope_.stand_ins.empty() ? 1.0 : scope_.stand_ins[rank].ranks; }
  // Tells whether the mean exit is too late even if nothing takes time any more.
  bool takesTooLong() const { return sum_of_exits_ + (all_ - exited_) * now_ > all_ * scope_.most_mean_exit.value; }
  SimulatedCall givenUp() {
    for (std::int32_t rank = 0; rank < graph_.ranks(); ++rank) {
      if (!progress_.isDone(rank)) call_.exits[rank] = {now_};
    }
    return std::move(call_);
  }

  double secondsFor(double per_byte, const Block& block) const {
    return onGrid(per_byte * element_size_ * static_cast<double>(block.count));
  }
  bool staysInNode(StepId send) const {
    return !nodes_.empty() && nodes_[graph_.rankOf(send)] == nodes_[graph_.step(send).peer];
  }
  const Wire& wireOf(StepId send) const { return staysInNode(send) ? within_node_ : between_nodes_; }
  bool isSynchronous(StepId send) const {
    return graph_.schedule(graph_.rankOf(send)).synchronous[graph_.step(send).lane];
  }
  double releaseOf(StepId send) const { return isSynchronous(send) ? wireOf(send).flight : wireOf(send).release; }
  // These return the port of the message's sender, and that of its receiver.
  std::int32_t portOut(StepId send) const { return portOf(send, graph_.rankOf(send)); }
  std::int32_t portIn(StepId send) const { return portOf(send, graph_.step(send).peer); }
  std::int32_t portOf(StepId send, std::int32_t rank) const {
    return nodes_.empty() || staysInNode(send) ? rank : graph_.ranks() + nodes_[rank];
  }
  double busySeconds(StepId send) const {
    const Wire& wire = wireOf(send);
    const Step& step = graph_.step(send);
    if (scope_.stand_ins.empty() || staysInNode(send)) return wire.overhead + secondsFor(wire.beta, step.block);
    const StandIn& sender = scope_.stand_ins[graph_.rankOf(send)];
    return onGrid(sender.overhead[step.lane] * wire.overhead) +
           secondsFor(sender.bytes[step.lane] * wire.beta, step.block);
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case EventKind::kArrival:
        progress_.arrive(static_cast<std::int32_t>(event.subject));
        noteExit(static_cast<std::int32_t>(event.subject));
        break;
      case EventKind::kPortsFree:
        --ports_[portOut(event.subject)].busy_out;
        --ports_[portIn(event.subject)].busy_in;
        freed_.push_back(portOut(event.subject));
        freed_.push_back(portIn(event.subject));
        break;
      case EventKind::kShared:
        lookAtShared(event.subject);
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
    if (!progress_.isDone(rank)) return;
    call_.exits[rank] = {now_};
    sum_of_exits_ += countOf(rank) * now_;
    exited_ += countOf(rank);
  }

  void serveReducers() {
    for (const StepId reduce : progress_.takeCombinable()) {
      const std::int32_t rank = graph_.rankOf(reduce);
      reductions_[graph_.firstOf(rank) + ranks_[rank].reductions++] = reduce;
      startReduction(rank);
    }
  }

  void startReduction(std::int32_t index) {
    Rank& rank = ranks_[index];
    if (rank.is_reducing || rank.begun == rank.reductions) return;
    const StepId reduce = reductions_[graph_.firstOf(index) + rank.begun++];
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
    for (const std::int32_t port : std::exchange(freed_, {})) {
      candidates.insert(candidates.end(), ports_[port].out.begin(), ports_[port].out.end());
      candidates.insert(candidates.end(), ports_[port].in.begin(), ports_[port].in.end());
    }
    for (const StepId send : progress_.takeReady()) {
      candidates.push_back({now_, send});
      ports_[portOut(send)].out.push_back(candidates.back());
      ports_[portIn(send)].in.push_back(candidates.back());
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (const Waiting& waiting : candidates) {
      const Port& out = ports_[portOut(waiting.send)];
      const Port& in = ports_[portIn(waiting.send)];
      if (!isNext(out, waiting) || out.busy_out >= model_.ports || in.busy_in >= model_.ports) continue;
      startTransfer(waiting);
      // If the sender has another port left, its next message may go, too.
      if (model_.ports > 1) freed_.push_back(portOut(waiting.send));
    }
  }

  // Returns whether this message is the next of those that its sender has waiting at this port.
  bool isNext(const Port& out, const Waiting& waiting) const {
    const std::int32_t rank = graph_.rankOf(waiting.send);
    return *std::find_if(out.out.begin(), out.out.end(),
                         [&](const Waiting& other) { return graph_.rankOf(other.send) == rank; }) == waiting;
  }

  void startTransfer(const Waiting& waiting) {
    const StepId send = waiting.send;
    Port& out = ports_[portOut(send)];
    Port& in = ports_[portIn(send)];
    std::erase(out.out, waiting);
    std::erase(in.in, waiting);
    ++out.busy_out;
    ++in.busy_in;
    const double busy = busySeconds(send);
    const double end = now_ + busy + wireOf(send).flight;
    events_.push({now_ + busy, EventKind::kPortsFree, send});
    events_.push({now_ + busy + releaseOf(send), EventKind::kDeparted, send});
    events_.push({end, EventKind::kDelivered, send});
    note(send, end);
  }

  void note(StepId send, double end) {
    if (!scope_.has_transfers) return;
    const Step& step = graph_.step(send);
    call_.transfers.push_back({graph_.rankOf(send), step.peer, step.block, graph_.step(graph_.partnerOf(send)).kind,
                               Seconds{now_}, Seconds{end}});
  }

  // Starts what became ready now, and shares the ports anew.
  void sharePorts() {
    for (const StepId send : progress_.takeReady()) {
      const SharedPorts::Id id = shared_.begin(portOut(send), portIn(send), busySeconds(send), now_);
      if (id >= carried_.size()) carried_.resize(id + 1);
      carried_[id] = {.send = send, .transfer = call_.transfers.size()};
      note(send, now_);
    }
    for (const SharedPorts::Id id : shared_.update(now_)) {
      carried_[id].end = onGrid(shared_.endOf(id));
      if (carried_[id].end < carried_[id].next) expectEnd(id);
    }
  }

  void expectEnd(SharedPorts::Id id) {
    carried_[id].next = carried_[id].end;
    events_.push({carried_[id].end, EventKind::kShared, id});
  }

  // An end that moves to a later time gets no new event until the one that it has comes; one that moves to an earlier
  // time gets one at once. Events of former ends, and of a transfer that had this id before, are passed over.
  void lookAtShared(SharedPorts::Id id) {
    const Carried& carried = carried_[id];
    if (carried.end == now_) return endShared(id);
    if (carried.next == now_ && carried.end > now_) expectEnd(id);
  }

  void endShared(SharedPorts::Id id) {
    Carried& carried = carried_[id];
    carried.end = -HUGE_VAL;
    shared_.end(id);
    const Wire& wire = wireOf(carried.send);
    if (scope_.has_transfers) call_.transfers[carried.transfer].end = Seconds{now_ + wire.flight};
    const std::size_t first_line = &wire == &between_nodes_ ? 0 : EventQueue::kLines / 2;
    const std::size_t departure_line = first_line + (isSynchronous(carried.send) ? 1 : 2);
    events_.push(departure_line, {now_ + releaseOf(carried.send), EventKind::kDeparted, carried.send});
    events_.push(first_line, {now_ + wire.flight, EventKind::kDelivered, carried.send});
  }

  const StepGraph& graph_;
  const SimulationScope& scope_;
  Progress progress_;
  const double element_size_;
  const CostModel model_;
  const std::vector<std::int32_t> nodes_;
  const Wire between_nodes_;
  const Wire within_node_;
  std::pmr::vector<Rank> ranks_;
  std::pmr::vector<StepId> reductions_;
  std::vector<Port> ports_;  // of the ranks, then of the nodes; none where they are shared
  SharedPorts shared_;
  std::pmr::vector<Carried> carried_;  // by id in shared_
  std::vector<std::int32_t> freed_;    // ports
  EventQueue events_;
  double now_ = 0.0;
  double sum_of_exits_ = 0.0;
  double exited_ = 0.0;  // ranks for which they stand, and all of these
  double all_ = 0.0;
  SimulatedCall call_;
};

bool isDuration(double seconds) { return std::isfinite(seconds) && seconds >= 0.0; }

Status checkInputs(std::span<const Schedule> schedules, Bytes element_size, const CostModel& model,
                   std::span<const Seconds> arrivals, std::int32_t window, std::span<const std::int32_t> nodes) {
  if (!nodes.empty() && nodes.size() != schedules.size()) {
    return Status::error(fmt::format("There are {} schedules and the nodes of {} ranks; give one of each per rank.",
                                     schedules.size(), nodes.size()));
  }
  if (arrivals.size() != schedules.size()) {
    return Status::error(fmt::format("There are {} schedules and {} arrivals; give one of each per rank.",
                                     schedules.size(), arrivals.size()));
  }
  if (!isDuration(model.alpha.value) || !isDuration(model.overhead.value) || !isDuration(model.release.value) ||
      !isDuration(model.beta) || !isDuration(model.gamma) || !isDuration(model.inner_alpha.value) ||
      !isDuration(model.inner_beta) || model.ports < 1 || element_size.value < 0 || window < 0) {
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

Seconds SimulatedCall::meanExit(std::span<const StandIn> stand_ins) const {
  Seconds sum;
  double ranks = 0.0;
  for (std::size_t rank = 0; rank < exits.size(); ++rank) {
    const double like_it = stand_ins.empty() ? 1.0 : stand_ins[rank].ranks;
    sum += like_it * exits[rank];
    ranks += like_it;
  }
  return exits.empty() ? Seconds{} : Seconds{sum.value / ranks};
}

Result<SimulatedCall> simulate(std::span<const Schedule> schedules, Bytes element_size, const CostModel& model,
                               std::span<const Seconds> arrivals, std::span<const std::int32_t> nodes,
                               const SimulationScope& scope) {
  const Status usable = checkInputs(schedules, element_size, model, arrivals, scope.window, nodes);
  if (!usable.isOk()) return usable;
  const Result<StepGraph> graph =
      scope.are_sane ? StepGraph::ofSane(schedules, scope.memory) : StepGraph::make(schedules, scope.memory);
  if (!graph.isOk()) return graph.status();
  if (!scope.stand_ins.empty() && scope.stand_ins.size() != schedules.size()) {
    return Status::error(fmt::format("There are {} schedules and {} stand-ins; give one of each per rank.",
                                     schedules.size(), scope.stand_ins.size()));
  }
  return Simulation(graph.value(), element_size, model, nodes, scope).run(arrivals);
}

Seconds postArrivalTime(const SimulatedCall& call, std::span<const Seconds> arrivals,
                        std::span<const StandIn> stand_ins) {
  return arrivals.empty() ? Seconds{} : call.meanExit(stand_ins) - *std::max_element(arrivals.begin(), arrivals.end());
}

}  // namespace starling
