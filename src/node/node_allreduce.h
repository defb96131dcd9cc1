// The allreduce of the ranks of one node, through memory that they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "node/association_tree.h"
#include "node/node_layout.h"
#include "node/node_wait.h"

namespace starling {

// One rank's part of one call. All but the buffers is equal on all ranks.
struct NodeCall {
  const void* send = nullptr;
  void* receive = nullptr;  // may be `send`; else they do not overlap
  std::int64_t count = 0;   // elements; > 0
  Combiner combiner;
  bool in_slots = false;                 // what fits into slots goes through them
  std::int64_t chunk_bytes = 0;          // of what goes through buffers; at most NodeLayout::kMostChunkBytes
  std::span<const std::int32_t> late{};  // ranks that come late, ascending: they combine nothing for the others
};

// There are two ways. Short vectors lie in slots, which every rank reads and combines for itself; of many ranks, groups
// are combined by one of them each, and groups of groups. Longer ones go through buffers, chunk by chunk: every rank
// copies its contribution in, combines its part of all contributions, and copies the other parts of the result out. All
// is combined by the association tree, so that the result has the same bits on all ranks and in every call, whoever
// comes late. What can be combined while somebody is missing is combined then.
//
// Which store lets which memory be read (all by release and acquire): a slot's number, its vector; `copied in`, the
// contribution to a chunk; `combined`, a part of its result. Why nothing is overwritten that somebody still reads:
// - A slot's set is used again two calls later. A rank that makes that call has left the call in between, for which it
//   needed something of every other rank; and that rank gave it after it had left the call before.
// - A contribution's buffer is used again three chunks later. The rank copies in only after it has copied out the chunk
//   that lay there: then all parts of that were combined.
// - So is a result's buffer. Who combines a part has seen that all have copied in this chunk, each after it had copied
//   out the one that lay there.
// THREADS: one; each rank has its own.
class NodeAllreduce {
 public:
  // `memory` holds layout.bytes(), is shared by all ranks, and outlives this object; it is zero before the first call.
  NodeAllreduce(std::byte* memory, const NodeLayout& layout, std::int32_t rank, const NodeWait::Settings& settings);

  std::int32_t ranks() const { return layout_.ranks(); }

  // Combines the ranks' vectors. All ranks call it alike, in the same order; it waits for them. Allocates nothing.
  void run(const NodeCall& call);

 private:
  // A part of the vector; the elements of a chunk are counted from its begin.
  struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    std::int64_t size() const { return end - begin; }
    bool isEmpty() const { return begin >= end; }
  };
  struct Chunk {
    std::uint64_t number = 0;  // counts from 1, over all calls
    Range elements;            // of the vector
  };

  void runInSlots(const NodeCall& call);
  void combineLevels(const NodeCall& call);
  void combineSlots(const NodeCall& call, std::int32_t level, std::byte* out);
  const std::byte* await(std::int32_t rank, std::int32_t level);
  void copyIntoSlot(const NodeCall& call);

  void runInChunks(const NodeCall& call);
  void chooseOwners(std::span<const std::int32_t> late);
  Chunk chunkAt(const NodeCall& call, std::int64_t index) const;
  // Returns the elements of the chunk that an owner combines.
  Range partOf(const Chunk& chunk, std::size_t owner) const;
  void copyIn(const NodeCall& call, const Chunk& chunk);
  void combine(const NodeCall& call, const Chunk& chunk);
  bool areAllInSoon(std::uint64_t chunk) const;
  std::int32_t countIn(std::uint64_t chunk) const;
  std::int32_t findContributions(const NodeCall& call, const Chunk& chunk, const Range& part);
  void combineWhileWaiting(const NodeCall& call, const Chunk& chunk, const Range& part);
  std::byte* contributionTo(const NodeCall& call, const Chunk& chunk, std::int32_t rank, const Range& part) const;
  void copyOut(const NodeCall& call, const Chunk& chunk);

  // The group of one level that this rank combines.
  struct Group {
    AssociationTree tree;
    std::vector<std::int32_t> ranks;  // whose slots are its operands
  };
  void addGroups();

  std::byte* memory_;
  const NodeLayout layout_;
  const std::int32_t rank_;
  NodeWait wait_;
  AssociationTree tree_;
  std::vector<Group> groups_;  // by level; those of higher levels are another rank's
  std::vector<const std::byte*> operands_;
  std::vector<std::int32_t> owners_;  // of parts, ascending
  std::optional<std::size_t> owner_;  // this rank's index among them
  std::uint64_t calls_in_slots_ = 0;
  std::uint64_t chunks_ = 0;         // of all calls before
  std::int64_t chunk_elements_ = 0;  // of this call
  std::int64_t line_elements_ = 0;   // parts begin where a cache line does
};

}  // namespace starling
