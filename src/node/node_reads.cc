#include "node/node_reads.h"

#include <unistd.h>

#include <algorithm>
#include <array>

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
      operands_(static_cast<std::size_t>(tree_.leaves()) + tree_.nodes().size()) {}

bool NodeReads::allreduce(const NodeCall& call) {
  if (!mayRead(call)) return false;
  begin(call);
  const std::int64_t longest = partOf(0).end;
  const std::int64_t pieces = (longest + piece_elements_ - 1) / piece_elements_;
  say(kHasTold);
  awaitAll(kHasTold);
  if (call.send == call.receive || !canReadAll(call)) refuse();
  say(kHasTried);
  awaitAll(kHasTried);
  const bool is_refused = isRefused();
  for (std::int64_t i = 0; i <= pieces && !is_refused; ++i) {
    if (i < pieces) {
      combine(call, pieceOf(rank_, i));
      say(kHasTried + static_cast<std::uint64_t>(i) + 1);
    }
    for (std::int32_t distance = 1; i > 0 && distance < layout_.ranks(); ++distance) {
      const std::int32_t owner = (rank_ + distance) % layout_.ranks();
      wait_.until(vectorsOf(owner).steps, said_ + kHasTried + static_cast<std::uint64_t>(i));
      take(call, owner, pieceOf(owner, i - 1));
    }
  }
  const std::uint64_t last = kHasLeft + static_cast<std::uint64_t>(pieces);
  say(last);
  awaitAll(last);
  const bool is_complete = !is_refused && !isRefused();
  // What another rank refuses in its next call is not this one's: it goes there after all have told where they are.
  said_ += last;
  return is_complete;
}

// Equal on all ranks. A piece has one line at least.
bool NodeReads::mayRead(const NodeCall& call) const {
  return !call.combiner.has_gaps && std::max(kLineBytes, call.combiner.element_bytes) <= roomOfPiece();
}

std::int64_t NodeReads::roomOfPiece() const { return NodeLayout::kContributionBytes / (layout_.ranks() - 1); }

void NodeReads::begin(const NodeCall& call) {
  const std::int64_t element_bytes = call.combiner.element_bytes;
  line_elements_ = elementsOfLine(call.combiner);
  const std::int64_t piece_bytes = std::min(call.chunk_bytes, roomOfPiece());
  piece_elements_ = std::max<std::int64_t>(piece_bytes / element_bytes / line_elements_, 1) * line_elements_;
  count_ = call.count;
  NodeVectors& own = vectorsOf(rank_);
  own.process = getpid();
  own.send = call.send;
  own.receive = call.receive;
}

void NodeReads::awaitAll(std::uint64_t steps) {
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) wait_.until(vectorsOf(rank).steps, said_ + steps);
}

bool NodeReads::isRefused() const {
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    if (vectorsOf(rank).refused.load(std::memory_order_relaxed) == said_ + 1) return true;
  }
  return false;
}

// Looks at the first element and the last one.
bool NodeReads::canReadAll(const NodeCall& call) const {
  std::array<std::byte, 1> found{};
  const std::int64_t last = call.count * call.combiner.element_bytes - 1;
  const auto can_read = [&](pid_t process, const void* vector) {
    return readProcessMemory(process, vector, found.data(), 1) &&
           readProcessMemory(process, static_cast<const std::byte*>(vector) + last, found.data(), 1);
  };
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    const NodeVectors& vectors = vectorsOf(rank);
    if (rank != rank_ && !(can_read(vectors.process, vectors.send) && can_read(vectors.process, vectors.receive))) {
      return false;
    }
  }
  return true;
}

// The first parts are the longest.
NodeReads::Part NodeReads::partOf(std::int32_t rank) const {
  const std::int64_t lines = (count_ + line_elements_ - 1) / line_elements_;
  const std::int64_t ranks = layout_.ranks();
  const std::int64_t each = (lines + ranks - 1) / ranks * line_elements_;
  return {std::min(rank * each, count_), std::min((rank + 1) * each, count_)};
}

NodeReads::Part NodeReads::pieceOf(std::int32_t rank, std::int64_t index) const {
  const Part part = partOf(rank);
  const std::int64_t begin = std::min(part.begin + index * piece_elements_, part.end);
  return {begin, std::min(begin + piece_elements_, part.end)};
}

void NodeReads::combine(const NodeCall& call, const Part& piece) {
  const std::int64_t size = piece.end - piece.begin;
  if (size == 0) return;
  const auto bytes = static_cast<std::size_t>(size * call.combiner.element_bytes);
  std::byte* next = layout_.contributions(memory_, rank_);
  std::ranges::fill(operands_, nullptr);
  for (std::int32_t distance = 0; distance < layout_.ranks(); ++distance) {
    const std::int32_t rank = (rank_ + distance) % layout_.ranks();
    if (rank == rank_) {
      operands_[static_cast<std::size_t>(rank)] = elementAt(call.send, piece.begin, call.combiner);
      continue;
    }
    const NodeVectors& vectors = vectorsOf(rank);
    if (!readProcessMemory(vectors.process, elementAt(vectors.send, piece.begin, call.combiner), next, bytes)) refuse();
    operands_[static_cast<std::size_t>(rank)] = next;
    next += bytes;
  }
  tree_.evaluate(call.combiner, operands_, elementAt(call.receive, piece.begin, call.combiner), size);
}

void NodeReads::take(const NodeCall& call, std::int32_t owner, const Part& piece) {
  if (piece.begin == piece.end) return;
  const NodeVectors& vectors = vectorsOf(owner);
  const auto bytes = static_cast<std::size_t>((piece.end - piece.begin) * call.combiner.element_bytes);
  const bool is_read = readProcessMemory(
      vectors.process, elementAt(static_cast<const void*>(vectors.receive), piece.begin, call.combiner),
      elementAt(call.receive, piece.begin, call.combiner), bytes);
  if (!is_read) refuse();
}

}  // namespace starling
