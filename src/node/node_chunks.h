// The way of long vectors through the memory of a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "node/node_call.h"
#include "node/node_layout.h"
#include "node/node_wait.h"

namespace starling {

// A vector goes through buffers, chunk by chunk: ranks copy their contributions in, the owner of each part combines
// them, and where the result is handed out all copy it out of another buffer. Such passes are what calls are made of:
// one where all come in time; where some come late, and the order of operands is free, one of the others before, and
// one of the late ranks, whose contributions are added to what the owners have by then.
//
// The result has the same bits on all ranks. Unless NodeCall::may_reorder holds and ranks are said to be late, all is
// combined by the association tree: then it has the same bits in every call, whoever comes first.
//
// Which store lets which memory be read (all by release and acquire): `copied in`, the contribution to a chunk, if
// there is one; `combined`, a part of its result. Why nothing is overwritten that somebody still reads:
// - A contribution's buffer is used again three chunks later. The rank copies in only after all parts of the chunk that
//   lay there were combined: it has copied them out, or waits for that.
// - A result's buffer is used again three chunks later. Who hands a part out has seen that all have `copied in` this
//   chunk, which each says after it has copied out the one that lay there.
// - The buffers of the call before are free when a rank has left it, which it has when it has `copied in` something of
//   this one: an owner sees that of all ranks before it hands anything out.
// THREADS: one; each rank has its own.
class NodeChunks {
 public:
  // `memory` holds layout.bytes(), is shared by all ranks, and outlives this object, as `wait` does; it is zero before
  // the first call.
  NodeChunks(std::byte* memory, const NodeLayout& layout, std::int32_t rank, NodeWait& wait);

  // Combines the ranks' vectors. All ranks call it alike; it waits for them. Allocates nothing.
  void allreduce(const NodeCall& call);

  // The two halves of an allreduce, each begun and then done in parts, beside something else. After the first each
  // owner has its share of the result in its receive buffer, and may put something else there; the second hands the
  // shares to all ranks. `shares` are equal on all ranks, do not overlap, and make up the vector; an owner has one.
  // They outlive the half, as what the call points to does.
  void beginReduceScatter(const NodeCall& call, std::span<const NodeShare> shares);
  void beginGather(const NodeCall& call, std::span<const NodeShare> shares);
  // Does what can be done of one chunk without waiting for others, but for some microseconds; returns whether it did
  // anything. What an owner has before this element of the vector may be handed out.
  bool advance(std::int64_t final_before);
  // Returns whether nothing can be done before there is more that may be handed out.
  bool waitsForFinal(std::int64_t final_before) const;
  // Returns whether this rank has done its part of the half.
  bool isOver() const { return half_.turn > half_.chunks; }
  // Returns the element before which all of the rank's share is combined, in the first half.
  std::int64_t combinedBefore() const;

 private:
  enum class Contributors : std::uint8_t { kAll, kInTime, kLate };
  struct Pass {
    Contributors contributors = Contributors::kAll;
    bool hands_out = true;  // else an owner has its parts of the result in its receive buffer alone
  };
  struct Chunk {
    std::uint64_t number = 0;  // counts from 1, over all calls
    std::int64_t index = 0;    // in its pass
  };
  // What an owner combines of a chunk.
  struct Part {
    std::int64_t element = 0;  // of the vector, the first
    std::int64_t place = 0;    // of it, in the buffers
    std::int64_t size = 0;     // elements

    bool isEmpty() const { return size <= 0; }
  };

  void begin(const NodeCall& call);
  // Returns whether some ranks own nothing, since they are late.
  bool chooseOwners(std::span<const std::int32_t> late);
  void takeShares(std::span<const NodeShare> shares);
  void run(const NodeCall& call, const Pass& pass);
  std::int64_t chunksOfShares() const;
  Part partOf(const Chunk& chunk, std::size_t owner) const;
  static bool contributes(const NodeCall& call, const Pass& pass, std::int32_t rank);

  void copyIn(const NodeCall& call, const Pass& pass, const Chunk& chunk);
  void copyParts(const NodeCall& call, const Chunk& chunk);
  bool isBufferFree(const Chunk& chunk) const;
  void combine(const NodeCall& call, const Pass& pass, const Chunk& chunk);
  void combineAll(const NodeCall& call, const Chunk& chunk, const Part& part, std::byte* out);
  void combineInTurn(const NodeCall& call, const Pass& pass, const Chunk& chunk, const Part& part, std::byte* out);
  bool areAllInSoon(std::uint64_t chunk) const;
  std::int32_t countIn(std::uint64_t chunk) const;
  std::int32_t findContributions(const NodeCall& call, const Chunk& chunk, const Part& part);
  bool combineWhatIsIn(const NodeCall& call, const Chunk& chunk, const Part& part, std::byte* out);
  std::byte* contributionTo(const NodeCall& call, const Chunk& chunk, std::int32_t rank, const Part& part) const;
  bool isCombined(const Chunk& chunk) const;
  void copyOut(const NodeCall& call, const Chunk& chunk);

  // What a rank does of a half in each turn, in this order: it combines a chunk, copies the one before out, and copies
  // the one after the next in. It begins two turns before the first chunk, and ends one after the last.
  enum class Action : std::uint8_t { kCombine, kCopyOut, kCopyIn };
  struct Half {
    NodeCall call;
    bool is_gather = false;
    std::int64_t chunks = 0;
    std::uint64_t chunks_before = 0;  // over all calls
    std::int64_t turn = 0;            // the index of the chunk that is combined next
    Action action = Action::kCombine;
    bool is_begun = false;  // combining that chunk
  };
  void beginHalf(const NodeCall& call, std::span<const NodeShare> shares, bool is_gather);
  Chunk chunkOfHalf(std::int64_t index) const;
  bool tryNext(std::int64_t final_before);
  bool hasChunk() const { return half_.turn >= 0 && half_.turn < half_.chunks; }
  bool tryCombine(std::int64_t final_before);
  bool tryCopyOut();
  bool tryCopyIn();

  std::byte* memory_;
  const NodeLayout layout_;
  const std::int32_t rank_;
  NodeWait& wait_;
  AssociationTree tree_;
  std::vector<const std::byte*> operands_;
  std::int32_t found_ = 0;             // contributions among them
  std::vector<std::int32_t> owners_;   // of parts, in their order
  std::span<const NodeShare> shares_;  // of this call, one for each owner; empty: parts of a chunk follow each other
  std::optional<std::size_t> owner_;   // this rank's index among them
  std::uint64_t chunks_ = 0;           // of all passes before
  std::uint64_t chunks_before_ = 0;    // ... of all calls before
  std::int64_t count_ = 0;             // this and what follows is of this call
  std::int64_t chunk_elements_ = 0;
  std::int64_t part_elements_ = 0;  // of each share, in one chunk
  std::int64_t line_elements_ = 0;  // parts begin where a cache line does
  Half half_;
};

}  // namespace starling
