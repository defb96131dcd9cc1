// The way of long vectors through the memory of the ranks' own processes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "node/node_call.h"
#include "node/node_layout.h"
#include "node/node_wait.h"

namespace starling {

// Nothing is copied to be shared: each rank tells where its vectors lie, reads its part of the others' contributions
// there, piece by piece, combines them into its own result, and reads the other parts of the result from those. That is
// as many bytes between two cores as a contribution has, where buffers take twice that.
//
// The result has the same bits on all ranks and in every call, whoever comes first: all is combined by the association
// tree.
//
// Each rank counts its steps of all calls in NodeVectors::steps (release and acquire): that it tells where its vectors
// lie, that it has tried to read all others', each piece of its part that is combined, and that it needs nothing more
// of the others. A rank leaves when all have said the last, since its vectors are the program's again then. Where the
// result lies where the contribution does, each page that will be read is looked at before anything is overwritten.
// What a rank reads pieces into are its buffers of NodeChunks, which nobody else uses any more when all have come.
// THREADS: one; each rank has its own.
class NodeReads {
 public:
  // `memory` and `wait` as in NodeChunks.
  NodeReads(std::byte* memory, const NodeLayout& layout, std::int32_t rank, NodeWait& wait);

  enum class Outcome : std::uint8_t {
    kComplete,
    kUncombined,  // the contributions are as they were; what is in other receive buffers is of no use
    kUntaken,     // each owner of shares() has its share of the result in its receive buffer
  };
  // Combines the ranks' vectors; the outcome is the same on all ranks, and other than complete where one of them could
  // not read another's vector. All ranks call it alike; it waits for them. Allocates nothing. Elements that have gaps
  // are not combined.
  Outcome allreduce(const NodeCall& call);
  // Returns the shares of the latest call, each rank's.
  std::span<const NodeShare> shares() const { return shares_; }

 private:
  struct Part {
    std::int64_t begin = 0;  // elements
    std::int64_t end = 0;
  };

  NodeVectors& vectorsOf(std::int32_t rank) const { return layout_.vectors(memory_, rank); }
  void begin(const NodeCall& call);
  bool mayRead(const NodeCall& call) const;
  std::int64_t roomOfPiece() const;
  void say(std::uint64_t steps) { wait_.raise(vectorsOf(rank_).steps, said_ + steps); }
  void awaitAll(std::uint64_t steps);
  using Flag = std::atomic<std::uint64_t> NodeVectors::*;
  bool isRaised(Flag flag) const;
  void raise(Flag flag) { (vectorsOf(rank_).*flag).store(said_ + 1, std::memory_order_relaxed); }
  bool isAnyInPlace() const;
  bool canReadAll(const NodeCall& call) const;
  Outcome combineAndTake(const NodeCall& call, std::int64_t pieces);
  Part pieceOf(std::int32_t rank, std::int64_t index) const;
  bool combine(const NodeCall& call, const Part& piece);
  bool take(const NodeCall& call, std::int32_t owner, const Part& piece);

  std::byte* memory_;
  const NodeLayout layout_;
  const std::int32_t rank_;
  NodeWait& wait_;
  AssociationTree tree_;
  std::vector<const std::byte*> operands_;
  std::uint64_t said_ = 0;           // steps of all calls before
  std::vector<NodeShare> shares_;    // by rank; this and what follows is of this call
  std::int64_t line_elements_ = 0;   // parts begin where a cache line does
  std::int64_t piece_elements_ = 0;  // of a part, read at a time
};

}  // namespace starling
