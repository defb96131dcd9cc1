#include "node/node_reads.h"

#include <unistd.h>

#include <algorithm>

#include "base/process_memory.h"
#include "node/node_elements.h"

namespace starling {
namespace {

// A call's steps, before its pieces and after the last of them.
constexpr std::uint64_t kHasTold = 1;
constexpr std::uint64_t kHasTried = 2;
constexpr std::uint64_t kHasLeft = 3;

}  // namespace

NodeReads::NodeReads(std::byte* memory, const NodeLayout& layout, std::int32_t rank, NodeWait& wait)
    : memory_(memory),
      layout_(layout),
      rank_(rank),
      wait_(wait),
      tree_(AssociationTree::ofRanks(layout.ranks())),
      operands_(static_cast<std::size_t>(tree_.leaves()) + tree_.nodes().size()) {
  shares_.reserve(static_cast<std::size_t>(layout.ranks()));
}

NodeReads::Outcome NodeReads::allreduce(const NodeCall& call) {
  if (!mayRead(call)) return Outcome::kUncombined;
  begin(call);
  const std::int64_t longest = shares_.front().end;
  const std::int64_t pieces = (longest + piece_elements_ - 1) / piece_elements_;
  say(kHasTold);
  awaitAll(kHasTold);
  if (!canReadAll(call)) raise(&NodeVectors::uncombined);
  say(kHasTried);
  awaitAll(kHasTried);
  const Outcome outcome = isRaised(&NodeVectors::uncombined) ? Outcome::kUncombined : combineAndTake(call, pieces);
  // What another rank raises in its next call is not this one's: it gets there after all have told where they are.
  said_ += kHasLeft + static_cast<std::uint64_t>(pieces);
  return outcome;
}

// What could not be read is not handed to the operation, which may be the program's; all steps are said nevertheless.
NodeReads::Outcome NodeReads::combineAndTake(const NodeCall& call, std::int64_t pieces) {
  bool can_combine = true;
  bool can_take = true;
  for (std::int64_t i = 0; i <= pieces; ++i) {
    if (i < pieces) {
      can_combine = can_combine && combine(call, pieceOf(rank_, i));
      say(kHasTried + static_cast<std::uint64_t>(i) + 1);
    }
    for (std::int32_t distance = 1; i > 0 && distance < layout_.ranks(); ++distance) {
      const std::int32_t owner = (rank_ + distance) % layout_.ranks();
      wait_.until(vectorsOf(owner).steps, said_ + kHasTried + static_cast<std::uint64_t>(i));
      can_take = can_take && take(call, owner, pieceOf(owner, i - 1));
    }
  }
  if (!can_combine) raise(&NodeVectors::uncombined);
  if (!can_take) raise(&NodeVectors::untaken);
  const std::uint64_t last = kHasLeft + static_cast<std::uint64_t>(pieces);
  say(last);
  awaitAll(last);
  if (isRaised(&NodeVectors::uncombined)) return Outcome::kUncombined;
  return isRaised(&NodeVectors::untaken) ? Outcome::kUntaken : Outcome::kComplete;
}

// Equal on all ranks. A piece has one line at least.
bool NodeReads::mayRead(const NodeCall& call) const {
  return !call.combiner.has_gaps && std::max(kLineBytes, call.combiner.element_bytes) <= roomOfPiece();
}

std::int64_t NodeReads::roomOfPiece() const { return NodeLayout::kContributionBytes / (layout_.ranks() - 1); }

// The first shares are the longest.
void NodeReads::begin(const NodeCall& call) {
  const std::int64_t element_bytes = call.combiner.element_bytes;
  line_elements_ = elementsOfLine(call.combiner);
  const std::int64_t piece_bytes = std::min(call.chunk_bytes, roomOfPiece());
  piece_elements_ = std::max<std::int64_t>(piece_bytes / element_bytes / line_elements_, 1) * line_elements_;
  shares_.clear();
  const std::int64_t ranks = layout_.ranks();
  const std::int64_t lines = (call.count + line_elements_ - 1) / line_elements_;
  const std::int64_t each = (lines + ranks - 1) / ranks * line_elements_;
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    shares_.push_back({rank, std::min(rank * each, call.count), std::min((rank + 1) * each, call.count)});
  }
  NodeVectors& own = vectorsOf(rank_);
  own.process = getpid();
  own.send = call.send;
  own.receive = call.receive;
}

void NodeReads::awaitAll(std::uint64_t steps) {
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) wait_.until(vectorsOf(rank).steps, said_ + steps);
}

bool NodeReads::isRaised(Flag flag) const {
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    if ((vectorsOf(rank).*flag).load(std::memory_order_relaxed) == said_ + 1) return true;
  }
  return false;
}

bool NodeReads::isAnyInPlace() const {
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    if (vectorsOf(rank).send == vectorsOf(rank).receive) return true;
  }
  return false;
}

// Looks at the first byte and the last one of all vectors; at each page of what this rank will combine where a
// contribution will be overwritten.
bool NodeReads::canReadAll(const NodeCall& call) const {
  const bool must_all_be_there = isAnyInPlace();
  const NodeShare& own = shares_[static_cast<std::size_t>(rank_)];
  const auto own_bytes = static_cast<std::size_t>((own.end - own.begin) * call.combiner.element_bytes);
  const std::int64_t last = call.count * call.combiner.element_bytes - 1;
  const auto has_ends = [&](pid_t process, const void* vector) {
    return isProcessMemoryReadable(process, vector, 1) &&
           isProcessMemoryReadable(process, static_cast<const std::byte*>(vector) + last, 1);
  };
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    const NodeVectors& vectors = vectorsOf(rank);
    if (rank == rank_) continue;
    if (!has_ends(vectors.process, vectors.send) || !has_ends(vectors.process, vectors.receive)) return false;
    const std::byte* const contribution = elementAt(vectors.send, own.begin, call.combiner);
    if (must_all_be_there && !isProcessMemoryReadable(vectors.process, contribution, own_bytes)) return false;
  }
  return true;
}

NodeReads::Part NodeReads::pieceOf(std::int32_t rank, std::int64_t index) const {
  const NodeShare& part = shares_[static_cast<std::size_t>(rank)];
  const std::int64_t begin = std::min(part.begin + index * piece_elements_, part.end);
  return {begin, std::min(begin + piece_elements_, part.end)};
}

bool NodeReads::combine(const NodeCall& call, const Part& piece) {
  const std::int64_t size = piece.end - piece.begin;
  if (size == 0) return true;
  const auto bytes = static_cast<std::size_t>(size * call.combiner.element_bytes);
  std::byte* next = layout_.contributions(memory_, rank_);
  std::ranges::fill(operands_, nullptr);
  operands_[static_cast<std::size_t>(rank_)] = elementAt(call.send, piece.begin, call.combiner);
  for (std::int32_t distance = 1; distance < layout_.ranks(); ++distance) {
    const std::int32_t rank = (rank_ + distance) % layout_.ranks();
    const NodeVectors& vectors = vectorsOf(rank);
    const std::byte* const contribution = elementAt(vectors.send, piece.begin, call.combiner);
    if (!readProcessMemory(vectors.process, contribution, next, bytes)) return false;
    operands_[static_cast<std::size_t>(rank)] = next;
    next += bytes;
  }
  tree_.evaluate(call.combiner, operands_, elementAt(call.receive, piece.begin, call.combiner), size);
  return true;
}

bool NodeReads::take(const NodeCall& call, std::int32_t owner, const Part& piece) {
  const NodeVectors& vectors = vectorsOf(owner);
  const auto bytes = static_cast<std::size_t>((piece.end - piece.begin) * call.combiner.element_bytes);
  return readProcessMemory(vectors.process,
                           elementAt(static_cast<const void*>(vectors.receive), piece.begin, call.combiner),
                           elementAt(call.receive, piece.begin, call.combiner), bytes);
}

}  // namespace starling
