#include "mpi/execution/planned_call.h"

#include <cstddef>

#include "base/copies.h"

namespace starling {
namespace {

NodeChannel::Call onNode(const PlannedCall& call) {
  return {call.send,   call.receive, call.count,       call.reducer,
          call.choice, call.table,   call.lateness_ns, call.may_reorder};
}

void copyInput(const PlannedCall& call) {
  if (call.send == MPI_IN_PLACE || call.count == 0) return;
  const Reducer& reducer = call.reducer;
  if (reducer.has_gaps && reducer.kernel != nullptr) {
    // Operands that are the same combine to that, and the gaps are left as they are.
    reducer.kernel(call.send, call.send, call.receive, call.count);
  } else {
    copyBytes(static_cast<const std::byte*>(call.send), static_cast<std::byte*>(call.receive),
              static_cast<std::size_t>(call.count) * reducer.element_size);
  }
}

}  // namespace

bool isInMemory(const NodeChannel* node, const Topology& topology, const Choice& choice, const Reducer& reducer) {
  return node != nullptr && runsInMemory(choice.algorithm) && node->hasAll(topology) && NodeChannel::canRun(reducer);
}

bool mayHaveShares(const Topology& topology, const Reducer& reducer) {
  return topology.shares_memory && NodeChannel::canRun(reducer);
}

void runInMemory(NodeChannel& node, const PlannedCall& call) { node.run(onNode(call)); }

int runSchedule(Channel& channel, NodeChannel* node, const PreparedSchedule& prepared, const PlannedCall& call) {
  Executor::Call between;
  between.table = call.table;
  between.work = call.receive;
  between.reducer = call.reducer;
  if (node == nullptr || prepared.schedule().shares.empty()) {
    copyInput(call);
    return channel.run(prepared, between);
  }
  NodeShares shares = node->share(onNode(call), prepared.schedule());
  between.input = &shares;
  const int code = channel.run(prepared, between);
  shares.finish();
  return code;
}

}  // namespace starling
