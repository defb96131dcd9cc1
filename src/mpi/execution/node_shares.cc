#include "mpi/execution/node_shares.h"

namespace starling {

NodeShares::NodeShares(NodeAllreduce& allreduce, const NodeCall& call, std::span<const NodeShare> shares,
                       const Schedule& schedule)
    : allreduce_(allreduce), call_(call), shares_(shares), chunk_(schedule.share_chunk) {
  for (const auto& [owner, block] : schedule.shares) {
    if (owner == schedule.virtual_rank) own_ = block;
  }
  allreduce_.beginReduceScatter(call_, shares_);
  // Two chunks are there before the first is combined.
  allreduce_.advance(0);
  allreduce_.advance(0);
}

std::int64_t NodeShares::inputBefore() const { return is_gathering_ ? call_.count : allreduce_.combinedBefore(); }

bool NodeShares::isIdle(const Step& oldest) const {
  return is_gathering_ && allreduce_.waitsForFinal(finalBefore(oldest));
}

void NodeShares::await(const Step& oldest, bool (*is_message_there)(void* context), void* context) {
  if (!is_gathering_ && allreduce_.isOver()) return beginGather();
  allreduce_.advanceUnless(is_gathering_ ? finalBefore(oldest) : 0, [&] { return is_message_there(context); });
}

// Steps of a chunk come before those of the next one.
std::int64_t NodeShares::finalBefore(const Step& oldest) const {
  const std::int64_t within = oldest.block.offset - own_.offset;
  return own_.offset + (chunk_ > 0 ? within / chunk_ * chunk_ : 0);
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
