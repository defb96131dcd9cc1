#include "mpi/rooted/broadcaster.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "mpi/execution/call_kind.h"
#include "mpi/rooted/message_bytes.h"

namespace starling {
namespace {

// Returns the error with which MPI refuses the type, since it is not committed; MPI_SUCCESS: none.
int refusalOf(MPI_Datatype datatype, MPI_Comm communicator) {
  if (isSentAsItLies(datatype)) return MPI_SUCCESS;
  std::byte none{};
  int position = 0;
  return PMPI_Pack(&none, 0, datatype, &none, 1, &position, communicator);
}

}  // namespace

RootedCounter::Call Broadcaster::countedCall(int count, MPI_Datatype datatype, int root) {
  return {messageBytes(count, datatype), root, RootedCounter::Start::kWhenWorthIt};
}

int Broadcaster::repeated(void* buffer, MPI_Datatype datatype, int root, MPI_Comm communicator) {
  int ranks = 0;
  PMPI_Comm_size(communicator, &ranks);
  if (root < 0 || root >= ranks) return MPI_ERR_ROOT;
  return PMPI_Bcast(buffer, 0, datatype, 0, MPI_COMM_SELF);
}

int Broadcaster::broadcast(void* buffer, int count, MPI_Datatype datatype, int root) {
  const auto alone = [&] { return repeated(buffer, datatype, root, channel_.communicator()); };
  const auto native = [&] {
    return channel_.callNative([&] { return PMPI_Bcast(buffer, count, datatype, root, channel_.communicator()); },
                               alone);
  };
  if (channel_.passesThrough()) return native();
  const RootedCounter::Call call = countedCall(count, datatype, root);
  const std::int64_t bytes = call.bytes;
  if (!channel_.admits(call, memory_, alone)) return native();
  const BroadcastPlan plan = planBroadcast(channel_.ranks(), bytes, channel_.costs());
  Root* const from = roots_.findOrMake(channel_, root, plan.tree == BroadcastTree::kChain);
  if (from == nullptr) return native();
  const bool is_native = from->trial.isNative() || !memory_.has(bytes);
  // This would be found out after others have sent: a call that is refused here may not have been made elsewhere.
  const int refusal = is_native ? MPI_SUCCESS : refusalOf(datatype, channel_.privateCommunicator());
  if (refusal != MPI_SUCCESS) {
    channel_.forgetCall();
    channel_.tellError(refusal);
    return refusal;
  }
  const Seconds arrival = channel_.clock().now();
  const int code = is_native ? native() : execute(*from, {buffer, count, datatype, bytes, plan}, arrival);
  if (is_native && isRefusal(code)) return code;
  from->durations.add(toNanoseconds(channel_.clock().now() - arrival));
  channel_.advanceExchange(from->exchange);
  // A call that failed here may have succeeded elsewhere, so it counts on every rank.
  if (++from->calls >= channel_.options().rooted_period) endPeriod(*from);
  return code;
}

int Broadcaster::execute(Root& from, const Message& message, Seconds arrival) {
  if (isSentAsItLies(message.datatype)) return run(from, message.buffer, message, arrival);
  const auto size = static_cast<int>(message.bytes);
  const MPI_Comm communicator = channel_.privateCommunicator();
  std::byte* const packed = channel_.vector();
  const bool is_root = channel_.rank() == from.root;
  int position = 0;
  int code = MPI_SUCCESS;
  if (is_root) {
    code = PMPI_Pack(message.buffer, message.count, message.datatype, packed, size, &position, communicator);
  }
  if (code == MPI_SUCCESS) {
    code = run(from, packed, message, arrival);
    if (code != MPI_SUCCESS || is_root) return code;
    code = PMPI_Unpack(packed, size, &position, message.buffer, message.count, message.datatype, communicator);
  }
  if (code != MPI_SUCCESS) channel_.tellError(code);
  return code;
}

int Broadcaster::run(Root& from, void* bytes_in_memory, const Message& message, Seconds arrival) {
  from.open_reach_ns = std::max(from.open_reach_ns, message.plan.reach_ns);
  const std::int32_t position = from.table.positionOf(channel_.rank());
  channel_.restoreReserve(schedules_);
  const PreparedSchedule& prepared =
      schedules_.find(Key(message.bytes, position), [&](std::pmr::memory_resource* memory) {
        return buildBroadcast(channel_.ranks(), position, message.bytes, message.plan, memory);
      });
  Executor::Call call;
  call.table = from.table.ranksByPosition();
  call.work = bytes_in_memory;
  call.reducer = {.datatype = MPI_BYTE, .element_size = 1};
  const int code = channel_.run(prepared, call);
  if (channel_.firstReceipt()) from.waits.add(toNanoseconds(*channel_.firstReceipt() - arrival));
  return code;
}

bool Broadcaster::grow(std::size_t bytes) {
  const auto largest = static_cast<std::int64_t>(bytes);
  return channel_.growVector(bytes) &&
         channel_.growScheduleMemory(broadcastBytes(channel_.ranks(), largest, channel_.costs()));
}

void Broadcaster::endPeriod(Root& from) {
  from.calls = 0;
  std::optional<std::int64_t> duration_ns;
  bool has_changed = false;
  if (channel_.takeExchange(from.exchange)) {
    duration_ns = from.exchange.durationNs();
    memory_.agree(from.exchange.capacity());
    has_changed = from.table.update(from.exchange.values(), from.tree(), from.closed_reach_ns);
  }
  from.trial.endPeriod(duration_ns, has_changed);
  from.closed_reach_ns = std::exchange(from.open_reach_ns, 0);
  channel_.startExchange(from.exchange, {from.waits.take(), from.durations.take(), memory_.reserve()});
}

bool Broadcaster::finish(bool may_wait) {
  return std::all_of(roots_.begin(), roots_.end(),
                     [&](Root& from) { return channel_.endExchange(from.exchange, may_wait); });
}

std::span<const std::int32_t> Broadcaster::table(int root, BroadcastTree tree) const {
  const Root* const known = roots_.find(root, tree == BroadcastTree::kChain);
  return known != nullptr ? known->table.ranksByPosition() : std::span<const std::int32_t>();
}

}  // namespace starling
