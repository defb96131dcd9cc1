// The halves of an allreduce between which the owners of shares do something else, in parts.
#include <algorithm>

#include "node/node_chunks.h"
#include "node/node_elements.h"

namespace starling {

void NodeChunks::beginReduceScatter(const NodeCall& call, std::span<const NodeShare> shares) {
  beginHalf(call, shares, false);
}

void NodeChunks::beginGather(const NodeCall& call, std::span<const NodeShare> shares) { beginHalf(call, shares, true); }

void NodeChunks::beginHalf(const NodeCall& call, std::span<const NodeShare> shares, bool is_gather) {
  begin(call);
  takeShares(shares);
  half_ = {.call = call, .is_gather = is_gather, .chunks = chunksOfShares(), .chunks_before = chunks_, .turn = -2};
  chunks_ += static_cast<std::uint64_t>(half_.chunks);
}

// A chunk has as much of each share.
void NodeChunks::takeShares(std::span<const NodeShare> shares) {
  owners_.clear();
  owner_.reset();
  shares_ = shares;
  for (const NodeShare& share : shares) {
    if (share.owner == rank_) owner_ = owners_.size();
    owners_.push_back(share.owner);
  }
  const std::int64_t lines = chunk_elements_ / line_elements_ / std::ssize(shares);
  part_elements_ = std::max<std::int64_t>(lines, 1) * line_elements_;
}

std::int64_t NodeChunks::chunksOfShares() const {
  std::int64_t longest = 1;
  for (const NodeShare& share : shares_) longest = std::max(longest, share.end - share.begin);
  return (longest + part_elements_ - 1) / part_elements_;
}

NodeChunks::Chunk NodeChunks::chunkOfHalf(std::int64_t index) const {
  return {half_.chunks_before + static_cast<std::uint64_t>(index) + 1, index};
}

std::int64_t NodeChunks::combinedBefore() const {
  if (!owner_) return count_;
  const std::int64_t chunks = half_.turn + (half_.action == Action::kCombine ? 0 : 1);
  const NodeShare& share = shares_[*owner_];
  return std::min(share.begin + std::max<std::int64_t>(chunks, 0) * part_elements_, share.end);
}

bool NodeChunks::advance(std::int64_t final_before) {
  bool has_moved = false;
  const std::int64_t turn = half_.turn;
  while (half_.turn == turn && !isOver() && tryNext(final_before)) has_moved = true;
  return has_moved;
}

bool NodeChunks::waitsForFinal(std::int64_t final_before) const {
  if (isOver()) return true;
  if (!half_.is_gather || half_.action != Action::kCombine || !owner_ || !hasChunk()) return false;
  const Part part = partOf(chunkOfHalf(half_.turn), *owner_);
  return !part.isEmpty() && part.element + part.size > final_before;
}

// The order of actions is that of run().
bool NodeChunks::tryNext(std::int64_t final_before) {
  switch (half_.action) {
    case Action::kCombine:
      if (!tryCombine(final_before)) return false;
      half_.action = Action::kCopyOut;
      return true;
    case Action::kCopyOut:
      if (!tryCopyOut()) return false;
      half_.action = Action::kCopyIn;
      return true;
    case Action::kCopyIn:
      if (!tryCopyIn()) return false;
      half_.action = Action::kCombine;
      ++half_.turn;
      return true;
  }
  return false;
}

// What is handed out goes where others may still be reading, until all have copied in.
bool NodeChunks::tryCombine(std::int64_t final_before) {
  if (!owner_ || !hasChunk()) return true;
  const Chunk chunk = chunkOfHalf(half_.turn);
  const Part part = partOf(chunk, *owner_);
  const Combiner& combiner = half_.call.combiner;
  if (!part.isEmpty()) {
    std::byte* const own = elementAt(half_.call.receive, part.element, combiner);
    if (half_.is_gather) {
      if (waitsForFinal(final_before) || countIn(chunk.number) < layout_.ranks()) return false;
      copyElements(own, elementAt(layout_.result(memory_, chunk.number), part.place, combiner), part.size, combiner);
    } else {
      if (!half_.is_begun) {
        std::ranges::fill(operands_, nullptr);
        static_cast<void>(areAllInSoon(chunk.number));
      } else if (countIn(chunk.number) == found_) {
        return false;
      }
      half_.is_begun = !combineWhatIsIn(half_.call, chunk, part, own);
      if (half_.is_begun) return false;
    }
  }
  wait_.raise(layout_.combined(memory_, rank_).value, chunk.number);
  return true;
}

bool NodeChunks::tryCopyOut() {
  if (!half_.is_gather || half_.turn < 1) return true;
  const Chunk chunk = chunkOfHalf(half_.turn - 1);
  if (!isCombined(chunk)) return false;
  copyOut(half_.call, chunk);
  return true;
}

// In a gather nothing is put there; a rank says that it has copied out what it found in the buffers of results.
bool NodeChunks::tryCopyIn() {
  if (half_.turn + 2 >= half_.chunks) return true;
  const Chunk chunk = chunkOfHalf(half_.turn + 2);
  if (!half_.is_gather) {
    if (!isBufferFree(chunk)) return false;
    copyParts(half_.call, chunk);
  }
  wait_.raise(layout_.copiedIn(memory_, rank_).value, chunk.number);
  return true;
}

}  // namespace starling
