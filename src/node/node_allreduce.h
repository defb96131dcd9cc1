// The allreduce of the ranks of one node, through memory that they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/processor_places.h"
#include "node/node_call.h"
#include "node/node_chunks.h"
#include "node/node_groups.h"
#include "node/node_layout.h"
#include "node/node_reads.h"
#include "node/node_wait.h"

namespace starling {

// There are three ways. Short vectors lie in slots, which every rank reads and combines for itself; of many ranks,
// groups are combined by one of them each, and groups of groups (node_groups.h). Longer ones go through buffers, chunk
// by chunk (node_chunks.h): every rank copies its contribution in, combines its part of all contributions, and copies
// the other parts of the result out. What can be combined while somebody is missing is combined then. Or ranks read
// each other's vectors where these lie (node_reads.h).
//
// A slot's number says, by release and acquire, that its vector can be read. Nothing is overwritten there that somebody
// still reads: a slot's set is used again two calls later. A rank that makes that call has left the call in between,
// for which it needed something of every other rank; and that rank gave it after it had left the call before. THREADS:
// one; each rank has its own.
class NodeAllreduce {
 public:
  // `memory` holds layout.bytes(), is shared by all ranks, and outlives this object; it is zero before the first call.
  // `places` has where each rank is, and is the same on all ranks; empty: it makes no difference, or is not known.
  NodeAllreduce(std::byte* memory, const NodeLayout& layout, std::int32_t rank, const NodeWait::Settings& settings,
                std::span<const ProcessorPlace> places = {});

  std::int32_t ranks() const { return layout_.ranks(); }

  // Combines the ranks' vectors. All ranks call it alike, in the same order; it waits for them. Allocates nothing.
  void run(const NodeCall& call);

  // The two halves of an allreduce, as in NodeChunks.
  void beginReduceScatter(const NodeCall& call, std::span<const NodeShare> shares) {
    chunks_.beginReduceScatter(call, shares);
  }
  void beginGather(const NodeCall& call, std::span<const NodeShare> shares) { chunks_.beginGather(call, shares); }
  bool advance(std::int64_t final_before) { return chunks_.advance(final_before); }
  bool isOver() const { return chunks_.isOver(); }
  bool waitsForFinal(std::int64_t final_before) const { return chunks_.waitsForFinal(final_before); }
  std::int64_t combinedBefore() const { return chunks_.combinedBefore(); }
  // Waits until `other` returns true, or the half has advanced.
  template <typename Other>
  void advanceUnless(std::int64_t final_before, const Other& other) {
    bool has_ended = false;
    wait_.untilTrue([&] { return has_ended = has_ended || other() || chunks_.advance(final_before); });
  }
  // Does what is left of the half, all of which may be handed out. Waits for all ranks.
  void finish();

 private:
  void runInSlots(const NodeCall& call);
  void runByReading(const NodeCall& call);
  void combineSlots(const NodeCall& call, NodeGroups::Group& group, std::int32_t level, std::byte* out);
  const std::byte* await(std::int32_t rank, std::int32_t level);
  void copyIntoSlot(const NodeCall& call);

  std::byte* memory_;
  const NodeLayout layout_;
  const std::int32_t rank_;
  NodeWait wait_;
  NodeChunks chunks_;
  NodeReads reads_;
  NodeGroups in_order_;
  std::optional<NodeGroups> by_place_;  // where operands may be combined in any order
  std::vector<const std::byte*> operands_;
  std::uint64_t calls_in_slots_ = 0;
};

}  // namespace starling
