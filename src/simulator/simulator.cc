#include "simulator/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "schedule/progress.h"
#include "schedule/step_graph.h"
#include "simulator/shared_ports.h"

namespace starling {
namespace {

// Times are multiples of 2^-40 s (about a picosecond). Their sums are exact for calls of up to two hours, so that what
// happens at the same time compares equal, however it was reached.
double onGrid(double seconds) { return std::nearbyint(seconds * 0x1p40) * 0x1p-40; }

enum class EventKind : std::uint8_t { kArrival, kPortsFree, kShared, kDeparted, kDelivered, kCombined };

struct Event {
  double time;
  EventKind kind;
  // This is the rank of a kArrival, the kSend step of a kPortsFree, kDeparted or kDelivered, the transfer that may have
  // left of a kShared, and the kReduce step of a kCombined.
  StepId subject;

  // Tells events of one time apart, in the order in which they are handled.
  std::uint64_t place() const { return (std::uint64_t{static_cast<std::uint8_t>(kind)} << 32) | subject; }
  bool operator>(const Event& other) const { return time != other.time ? time > other.time : place() > other.place(); }
};

// A message that waits for ports. The step id orders by lower rank, then program order.
struct Waiting {
  double ready;
  StepId send;

  auto operator<=>(const Waiting&) const = default;
};

// Holds what a message costs between two ranks.
struct Wire {
  Wire(const CostModel& model, Seconds alpha, double per_byte)
      : overhead(onGrid(std::min(model.overhead, alpha).value)),
        flight(onGrid(alpha.value) - overhead),
        release(std::min(onGrid(model.release.value), flight)),
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
  Simulation(const StepGraph& graph, Bytes element_size, const CostModel& model, std::int32_t window,
             std::span<const std::int32_t> nodes)
      : graph_(graph),
        progress_(graph, window),
        element_size_(static_cast<double>(element_size.value)),
        model_(model),
        nodes_(numberedNodes(nodes, model)),
        between_nodes_(model, model.alpha, model.beta),
        within_node_(model, model.inner_alpha, model.inner_beta),
        ranks_(graph.ranks()),
        ports_(graph.ranks() + nodes_.size()),
        shared_(static_cast<std::int32_t>(ports_.size())) {}

  Result<SimulatedCall> run(std::span<const Seconds> arrivals) {
    for (std::int32_t rank = 0; rank < graph_.ranks(); ++rank) {
      events_.push({onGrid(arrivals[rank].value), EventKind::kArrival, static_cast<StepId>(rank)});
    }
    call_.exits.resize(arrivals.size());
    call_.transfers.reserve(graph_.size() / 2);
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
  // This port is a rank's own, or a node's.
  struct Port {
    std::int32_t busy_out = 0;
    std::int32_t busy_in = 0;
    std::vector<Waiting> out;  // ascending, as is `in`; together they hold every waiting message twice
    std::vector<Waiting> in;
  };
  struct Rank {
    bool is_reducing = false;
    std::vector<StepId> reductions;  // that may be combined, in this order
    std::size_t begun = 0;           // of these
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
  bool staysInNode(StepId send) const {
    return !nodes_.empty() && nodes_[graph_.rankOf(send)] == nodes_[graph_.step(send).peer];
  }
  const Wire& wireOf(StepId send) const { return staysInNode(send) ? within_node_ : between_nodes_; }
  double releaseOf(StepId send) const {
    const bool is_synchronous = graph_.schedule(graph_.rankOf(send)).synchronous[graph_.step(send).lane];
    return is_synchronous ? wireOf(send).flight : wireOf(send).release;
  }
  // These return the port of the message's sender, and that of its receiver.
  std::int32_t portOut(StepId send) const { return portOf(send, graph_.rankOf(send)); }
  std::int32_t portIn(StepId send) const { return portOf(send, graph_.step(send).peer); }
  std::int32_t portOf(StepId send, std::int32_t rank) const {
    return nodes_.empty() || staysInNode(send) ? rank : graph_.ranks() + nodes_[rank];
  }
  double busySeconds(StepId send) const {
    const Wire& wire = wireOf(send);
    return wire.overhead + secondsFor(wire.beta, graph_.step(send).block);
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
      ranks_[graph_.rankOf(reduce)].reductions.push_back(reduce);
      startReduction(graph_.rankOf(reduce));
    }
  }

  void startReduction(std::int32_t index) {
    Rank& rank = ranks_[index];
    if (rank.is_reducing || rank.begun == rank.reductions.size()) return;
    const StepId reduce = rank.reductions[rank.begun++];
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
      events_.push({carried_[id].end, EventKind::kShared, id});
    }
  }

  void endShared(SharedPorts::Id id) {
    Carried& carried = carried_[id];
    carried.end = -1.0;
    shared_.end(id);
    const Wire& wire = wireOf(carried.send);
    call_.transfers[carried.transfer].end = Seconds{now_ + wire.flight};
    events_.push({now_ + releaseOf(carried.send), EventKind::kDeparted, carried.send});
    events_.push({now_ + wire.flight, EventKind::kDelivered, carried.send});
  }

  const StepGraph& graph_;
  Progress progress_;
  const double element_size_;
  const CostModel model_;
  const std::vector<std::int32_t> nodes_;
  const Wire between_nodes_;
  const Wire within_node_;
  std::vector<Rank> ranks_;
  std::vector<Port> ports_;  // of the ranks, then of the nodes
  SharedPorts shared_;
  std::vector<Carried> carried_;     // by id in shared_
  std::vector<std::int32_t> freed_;  // ports
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  double now_ = 0.0;
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

Seconds SimulatedCall::meanExit() const {
  Seconds sum;
  for (const Seconds exit : exits) sum += exit;
  return exits.empty() ? Seconds{} : Seconds{sum.value / static_cast<double>(exits.size())};
}

Result<SimulatedCall> simulate(std::span<const Schedule> schedules, Bytes element_size, const CostModel& model,
                               std::span<const Seconds> arrivals, std::int32_t window,
                               std::span<const std::int32_t> nodes) {
  const Status usable = checkInputs(schedules, element_size, model, arrivals, window, nodes);
  if (!usable.isOk()) return usable;
  const Result<StepGraph> graph = StepGraph::make(schedules);
  if (!graph.isOk()) return graph.status();
  return Simulation(graph.value(), element_size, model, window, nodes).run(arrivals);
}

Seconds postArrivalTime(const SimulatedCall& call, std::span<const Seconds> arrivals) {
  return arrivals.empty() ? Seconds{} : call.meanExit() - *std::max_element(arrivals.begin(), arrivals.end());
}

}  // namespace starling
