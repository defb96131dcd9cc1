#include "node/node_allreduce.h"

#include <algorithm>
#include <numeric>

#include "node/node_elements.h"

namespace starling {
NodeAllreduce::NodeAllreduce(std::byte* memory, const NodeLayout& layout, std::int32_t rank,
                             const NodeWait::Settings& settings)
    : memory_(memory),
      layout_(layout),
      rank_(rank),
      wait_(layout.sleepers(memory), settings),
      chunks_(memory, layout_, rank, wait_),
      reads_(memory, layout_, rank, wait_),
      operands_(2 * static_cast<std::size_t>(layout.ranks())) {
  addGroups();
}

// A group has the places of the tree that follow each other, so that its result is one of the tree's; the first of its
// ranks combines it. A single group every rank combines for itself.
void NodeAllreduce::addGroups() {
  std::vector<std::int32_t> widths = AssociationTree::widthsOf(layout_.ranks());
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(layout_.ranks()));
  std::iota(ranks.begin(), ranks.end(), 0);
  for (bool is_last = false; !is_last;) {
    is_last = widths.size() <= NodeLayout::kGroup;
    std::vector<std::int32_t> leaders;
    auto rank = ranks.begin();
    for (std::size_t place = 0; place < widths.size(); place += NodeLayout::kGroup) {
      const auto places = std::span(widths).subspan(place, std::min<std::size_t>(NodeLayout::kGroup, widths.size()));
      const auto end = rank + std::accumulate(places.begin(), places.end(), 0);
      if (*rank == rank_ || layout_.levels() == 1) groups_.push_back({AssociationTree(places), {rank, end}});
      leaders.push_back(*rank);
      rank = end;
    }
    widths.assign(leaders.size(), 1);
    ranks = std::move(leaders);
  }
}

void NodeAllreduce::run(const NodeCall& call) {
  if (call.in_slots && call.count * call.combiner.element_bytes <= NodeSlot::kBytes) {
    runInSlots(call);
  } else if (!call.is_read) {
    chunks_.allreduce(call);
  } else {
    runByReading(call);
  }
}

// What could not be read is copied.
void NodeAllreduce::runByReading(const NodeCall& call) {
  switch (reads_.allreduce(call)) {
    case NodeReads::Outcome::kComplete:
      break;
    case NodeReads::Outcome::kUncombined:
      return chunks_.allreduce(call);
    case NodeReads::Outcome::kUntaken:
      return chunks_.gather(call, reads_.shares());
  }
}

void NodeAllreduce::runInSlots(const NodeCall& call) {
  ++calls_in_slots_;
  copyIntoSlot(call);
  if (layout_.levels() == 1) return combineSlots(call, 0, static_cast<std::byte*>(call.receive));
  combineLevels(call);
  const std::byte* const result = await(0, layout_.levels());
  copyElements(result, static_cast<std::byte*>(call.receive), call.count, call.combiner);
}

void NodeAllreduce::copyIntoSlot(const NodeCall& call) {
  NodeSlot& slot = layout_.slot(memory_, rank_, 0, calls_in_slots_);
  copyElements(static_cast<const std::byte*>(call.send), slot.data, call.count, call.combiner);
  wait_.raise(slot.call, calls_in_slots_);
}

void NodeAllreduce::combineLevels(const NodeCall& call) {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const auto level = static_cast<std::int32_t>(i);
    NodeSlot& slot = layout_.slot(memory_, rank_, level + 1, calls_in_slots_);
    combineSlots(call, level, slot.data);
    wait_.raise(slot.call, calls_in_slots_);
  }
}

void NodeAllreduce::combineSlots(const NodeCall& call, std::int32_t level, std::byte* out) {
  Group& group = groups_[static_cast<std::size_t>(level)];
  const auto operands = std::span(operands_).first(group.ranks.size() + group.tree.nodes().size());
  std::fill(operands.begin(), operands.end(), nullptr);
  for (std::size_t i = 0; i < group.ranks.size(); ++i) operands[i] = await(group.ranks[i], level);
  group.tree.evaluate(call.combiner, operands, out, call.count);
}

const std::byte* NodeAllreduce::await(std::int32_t rank, std::int32_t level) {
  const NodeSlot& slot = layout_.slot(memory_, rank, level, calls_in_slots_);
  wait_.until(slot.call, calls_in_slots_);
  return slot.data;
}

}  // namespace starling
