#include "mpi/execution/node_shares.h"

namespace starling {

NodeShares::NodeShares(NodeAllreduce& allreduce, const NodeCall& call, std::span<const NodeShare> shares,
                       const Schedule& schedule)
    : allreduce_(allreduce), call_(call), shares_(shares), chunk_(schedule.share_chunk) {
  for (const auto& [owner, block] : schedule.shares) {
    if (owner == schedule.virtual_rank) own_ = block;
  }
  allreduce_.beginReduceScatter(call_, shares_);
  allreduce_.advance(0);
}

std::int64_t NodeShares::inputBefore() const { return isComplete() ? call_.count : allreduce_.combinedBefore(); }

void NodeShares::await(bool (*is_message_there)(void* context), void* context) {
  allreduce_.advanceUnless(0, [&] { return is_message_there(context); });
}

// Steps of a chunk come before those of the next one.
void NodeShares::takeResult(const Step& oldest) {
  beginGather();
  const std::int64_t within = oldest.block.offset - own_.offset;
  allreduce_.advance(own_.offset + (chunk_ > 0 ? within / chunk_ * chunk_ : 0));
}

void NodeShares::beginGather() {
  if (is_gathering_) return;
  allreduce_.beginGather(call_, shares_);
  is_gathering_ = true;
}

void NodeShares::finish() {
  if (!is_gathering_) allreduce_.finish();
  beginGather();
  allreduce_.finish();
}

}  // namespace starling
