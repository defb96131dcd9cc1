#include "mpi/rooted/rooted_reducer.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/copies.h"
#include "base/log.h"
#include "mpi/execution/device_memory.h"

namespace starling {
namespace {

// What a rank tells in place of its memory when it has the driver of an accelerator.
constexpr std::int64_t kThereIsADriver = -1;

// Returns the size in memory, with the gaps between elements, which messages leave out.
std::int64_t bytesOf(const CallKind& kind) {
  return kind.signature.count * static_cast<std::int64_t>(kind.reducer.element_size);
}

}  // namespace

// In reproducible mode neither the earlier calls nor the memory they had may decide which bits a call has.
RootedCounter::Call RootedReducer::countedCall(const CallKind& kind, int root, bool is_reproducible) {
  const auto start = is_reproducible ? RootedCounter::Start::kAtOnce : RootedCounter::Start::kWhenWorthIt;
  return {kind.tunable ? bytesOf(kind) : 0, root, start};
}

int RootedReducer::repeated(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                            MPI_Comm communicator) {
  int ranks = 0;
  PMPI_Comm_size(communicator, &ranks);
  if (root < 0 || root >= ranks) return MPI_ERR_ROOT;
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  if (rank != root) {
    // The receive buffer means nothing there.
    char result = 0;
    return sendbuf == MPI_IN_PLACE ? MPI_ERR_ARG : PMPI_Reduce(sendbuf, &result, 0, datatype, op, 0, MPI_COMM_SELF);
  }
  // One buffer for both is refused where there is something to combine, unless arguments are not checked.
  if (sendbuf == recvbuf && count > 0 && refusesOneBufferInReduce()) return MPI_ERR_BUFFER;
  return PMPI_Reduce(sendbuf, recvbuf, 0, datatype, op, 0, MPI_COMM_SELF);
}

int RootedReducer::reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root) {
  const auto alone = [&] { return repeated(sendbuf, recvbuf, count, datatype, op, root, channel_.communicator()); };
  const auto native = [&] {
    return channel_.callNative(
        [&] { return PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, channel_.communicator()); }, alone);
  };
  // MPI refuses the latter, which was never counted.
  if (isMisplaced(sendbuf, recvbuf, count, root)) {
    return PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, channel_.communicator());
  }
  if (channel_.passesThrough()) return native();
  const CallKind kind = classifyCall(count, datatype, op);
  const RootedCounter::Call call = countedCall(kind, root, isReproducible());
  const std::int64_t bytes = call.bytes;
  if (!channel_.admits(call, memory_, alone)) return native();
  if (isReproducible()) {
    return channel_.ensureMemory(bytes, memory_) ? execute(nullptr, sendbuf, recvbuf, kind, root) : native();
  }
  if (mayBeOnDevices()) return native();
  // A vector counts as long when cutting it into segments is worth it.
  const bool is_long = bestSegments(channel_.costs(), bytes, channel_.ranks()) > 1;
  Root* const to = roots_.findOrMake(channel_, root, is_long);
  if (to == nullptr) return native();
  const bool is_native = to->trial.isNative() || !memory_.has(bytes);
  const std::int64_t arrival_ns = channel_.clock().nanoseconds();
  const int code = is_native ? native() : execute(to, sendbuf, recvbuf, kind, root);
  if (is_native && isRefusal(code)) return code;
  to->arrivals.add(arrival_ns);
  to->durations.add(channel_.clock().nanoseconds() - arrival_ns);
  channel_.advanceExchange(to->exchange);
  // A call that failed here may have succeeded elsewhere, so it counts on every rank.
  if (++to->calls >= channel_.options().rooted_period) endPeriod(*to);
  return code;
}

bool RootedReducer::mayBeOnDevices() {
  if (!may_be_on_devices_) {
    refreshDeviceDrivers();
    noteDrivers(!channel_.isSoEverywhere(!hasDeviceDriver()));
  }
  return *may_be_on_devices_;
}

void RootedReducer::noteDrivers(bool has_any) {
  may_be_on_devices_ = has_any;
  if (!has_any || channel_.rank() != 0) return;
  logOnce(
      LogLevel::kInfo, "devices",
      "a rank has the driver of an accelerator: reductions by tuned_reduce are left to the MPI library, since vectors "
      "may lie on a device");
}

bool RootedReducer::isMisplaced(const void* sendbuf, const void* recvbuf, int count, int root) const {
  if (channel_.rank() != root) return sendbuf == MPI_IN_PLACE;
  return recvbuf == MPI_IN_PLACE || (sendbuf == recvbuf && count > 0 && refusesOneBufferInReduce());
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
    copyBytes(static_cast<const std::byte*>(sendbuf), static_cast<std::byte*>(call.work),
              static_cast<std::size_t>(bytesOf(kind)));
  }
  return channel_.run(prepared, call);
}

const PreparedSchedule& RootedReducer::findSchedule(const Root* to, const CallKind& kind, int root) {
  const Key key(kind, root, to != nullptr ? to->pattern : 0);
  channel_.restoreReserve(schedules_);
  return schedules_.find(key, [&](std::pmr::memory_resource* memory) {
    ReductionShape shape{channel_.ranks(), root, bytesOf(kind), Association::kAny};
    if (!kind.signature.commutative) shape.association = Association::kRankOrder;
    if (isReproducible()) shape.association = Association::kFixed;
    const auto lateness_ns = to != nullptr ? to->lateness.latenessNs() : std::span<const std::int64_t>();
    const ReductionPlan plan = planReduction(shape, lateness_ns, channel_.costs(), memory);
    return buildReduction(channel_.ranks(), channel_.rank(), kind.signature.count, plan, memory);
  });
}

bool RootedReducer::grow(std::size_t bytes) {
  const auto largest = static_cast<std::int64_t>(bytes);
  return channel_.growVector(bytes) && channel_.growScratch(bytes) &&
         channel_.growScheduleMemory(reductionBytes(channel_.ranks(), largest, channel_.costs()));
}

void RootedReducer::endPeriod(Root& to) {
  to.calls = 0;
  std::optional<std::int64_t> duration_ns;
  bool has_changed = false;
  if (channel_.takeExchange(to.exchange)) {
    if (to.exchange.capacity() == kThereIsADriver) noteDrivers(true);
    memory_.agree(to.exchange.capacity());
    duration_ns = to.exchange.durationNs();
    // Where nothing is known of the clocks nobody counts as late.
    has_changed =
        channel_.stampClock().isKnown() && to.lateness.update(to.exchange.values(), 2 * to.exchange.clockErrorNs());
  }
  if (has_changed) ++to.pattern;
  to.trial.endPeriod(duration_ns, has_changed);
  const ClockModel clock = channel_.stampClock().model().value_or(ClockModel{});
  const std::int64_t arrival_ns = to.arrivals.take();
  refreshDeviceDrivers();
  const std::int64_t capacity = hasDeviceDriver() ? kThereIsADriver : memory_.reserve();
  channel_.startExchange(to.exchange,
                         {clock.toOther(arrival_ns), to.durations.take(), capacity, clock.errorAt(arrival_ns)});
}

bool RootedReducer::finish(bool may_wait) {
  return std::all_of(roots_.begin(), roots_.end(),
                     [&](Root& to) { return channel_.endExchange(to.exchange, may_wait); });
}

std::span<const std::int64_t> RootedReducer::latenessNs(int root, bool is_long) const {
  const Root* const known = roots_.find(root, is_long);
  return known != nullptr ? known->lateness.latenessNs() : std::span<const std::int64_t>();
}

}  // namespace starling
