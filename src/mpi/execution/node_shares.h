// What the ranks of a node do through memory that they share, beside the messages of a schedule.
#pragma once

#include <cstdint>
#include <span>

#include "mpi/execution/executor.h"
#include "node/node_allreduce.h"
#include "schedule/schedule.h"

namespace starling {

// Makes the input of a schedule that has shares: the rank's share of what its node has combined, chunk by chunk. When
// all is there it hands out the result, chunk by chunk. All ranks of the node make one alike, in the same order, and
// call finish(). THREADS: not thread-safe.
class NodeShares final : public InputInParts {
 public:
  // `call` and `shares`, those within the node, are as NodeChunks takes them; all that is referred to outlives this
  // object.
  NodeShares(NodeAllreduce& allreduce, const NodeCall& call, std::span<const NodeShare> shares,
             const Schedule& schedule);

  std::int64_t inputBefore() const override;
  bool isIdle(const Step& oldest) const override;
  void await(const Step& oldest, bool (*is_message_there)(void* context), void* context) override;

  // Takes and hands out what is left. After a fault that is anything, but no rank of the node waits for another one.
  void finish();

 private:
  std::int64_t finalBefore(const Step& oldest) const;
  void beginGather();

  NodeAllreduce& allreduce_;
  const NodeCall call_;
  const std::span<const NodeShare> shares_;
  const std::int64_t chunk_;  // Schedule::share_chunk
  Block own_;                 // empty: the rank owns nothing
  bool is_gathering_ = false;
};

}  // namespace starling
