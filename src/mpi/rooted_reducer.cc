#include "mpi/rooted_reducer.h"

#include <cstring>
#include <optional>

namespace starling {
namespace {

// In memory, with the gaps between elements, which messages leave out.
std::int64_t bytesOf(const CallKind& kind) {
  return kind.signature.count * static_cast<std::int64_t>(kind.reducer.element_size);
}

}  // namespace

int RootedReducer::reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root) {
  const auto native = [&] { return PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, channel_.communicator()); };
  if (channel_.passesThrough() || isMisplaced(sendbuf, recvbuf, root)) return native();
  const CallKind kind = classifyCall(count, datatype, op);
  const std::int64_t bytes = kind.tunable ? bytesOf(kind) : 0;
  // In reproducible mode neither the calls before nor the memory they had may say which bits a call has.
  const auto start = isReproducible() ? RootedChannel::Start::kAtOnce : RootedChannel::Start::kWhenWorthIt;
  if (!channel_.admits(bytes, root, memory_, start)) return native();
  if (isReproducible()) {
    return channel_.findMemory(bytes, memory_) ? execute(nullptr, sendbuf, recvbuf, kind, root) : native();
  }
  // Worth to be cut into segments.
  const bool is_long = bestSegments(channel_.costs(), bytes, channel_.ranks()) > 1;
  Root* const to = roots_.findOrMake(channel_, root, is_long);
  if (to == nullptr) return native();
  const bool is_native = to->trial.isNative() || !memory_.has(bytes);
  const std::int64_t arrival_ns = toNanoseconds(channel_.clock().now());
  const int code = is_native ? native() : execute(to, sendbuf, recvbuf, kind, root);
  to->arrivals.add(arrival_ns);
  to->durations.add(toNanoseconds(channel_.clock().now()) - arrival_ns);
  // A call that failed here may have succeeded elsewhere: it counts on every rank.
  if (++to->calls >= channel_.options().rooted_period) endPeriod(*to);
  return code;
}

bool RootedReducer::isMisplaced(const void* sendbuf, const void* recvbuf, int root) const {
  return (channel_.rank() == root ? recvbuf : sendbuf) == MPI_IN_PLACE;
}

int RootedReducer::execute(const Root* to, const void* sendbuf, void* recvbuf, const CallKind& kind, int root) {
  const PreparedSchedule& prepared = findSchedule(to, kind, root);
  Executor::Call call;
  call.reducer = kind.reducer;
  const bool only_sends = prepared.leastScratch() == 0;
  if (channel_.rank() == root) {
    call.work = recvbuf;
  } else {
    // A rank that only sends does not write to its work vector.
    call.work = only_sends ? const_cast<void*>(sendbuf) : channel_.vector();
  }
  if (call.work != sendbuf && sendbuf != MPI_IN_PLACE) {
    std::memcpy(call.work, sendbuf, static_cast<std::size_t>(bytesOf(kind)));
  }
  return channel_.run(prepared, call);
}

const PreparedSchedule& RootedReducer::findSchedule(const Root* to, const CallKind& kind, int root) {
  const bool commutative = kind.signature.commutative;
  const Key key{kind.signature.count, kind.reducer.element_size, commutative, root, to != nullptr ? to->pattern : 0};
  return schedules_.find(key, [&] {
    ReductionShape shape{channel_.ranks(), root, bytesOf(kind), Association::kAny};
    if (!commutative) shape.association = Association::kRankOrder;
    if (isReproducible()) shape.association = Association::kFixed;
    const auto lateness_ns = to != nullptr ? to->lateness.latenessNs() : std::span<const std::int64_t>();
    const ReductionPlan plan = planReduction(shape, lateness_ns, channel_.costs());
    return buildReduction(channel_.ranks(), channel_.rank(), kind.signature.count, plan);
  });
}

void RootedReducer::endPeriod(Root& to) {
  to.calls = 0;
  std::optional<std::int64_t> duration_ns;
  bool has_changed = false;
  if (channel_.takeExchange(to.exchange)) {
    memory_.agree(to.exchange.capacity());
    duration_ns = to.exchange.durationNs();
    // Stamps of different clocks do not compare: then nobody counts as late.
    has_changed = channel_.clocksAgree() && to.lateness.update(to.exchange.values());
  }
  if (has_changed) ++to.pattern;
  to.trial.endPeriod(duration_ns, has_changed);
  channel_.startExchange(to.exchange, {to.arrivals.take(), to.durations.take(), memory_.reserve()});
}

void RootedReducer::finish() {
  for (Root& to : roots_) channel_.takeExchange(to.exchange);
}

std::span<const std::int64_t> RootedReducer::latenessNs(int root, bool is_long) const {
  const Root* const known = roots_.find(root, is_long);
  return known != nullptr ? known->lateness.latenessNs() : std::span<const std::int64_t>();
}

}  // namespace starling
