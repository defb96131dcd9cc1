#include "node/node_allreduce.h"

#include <algorithm>
#include <limits>

#include "node/node_elements.h"

namespace starling {

NodeAllreduce::NodeAllreduce(std::byte* memory, const NodeLayout& layout, std::int32_t rank,
                             const NodeWait::Settings& settings, std::span<const ProcessorPlace> places)
    : memory_(memory),
      layout_(layout),
      rank_(rank),
      wait_(layout.sleepers(memory), settings),
      chunks_(memory, layout_, rank, wait_),
      reads_(memory, layout_, rank, wait_),
      in_order_(NodeGroups::inOrder(layout.ranks(), rank)),
      operands_(2 * static_cast<std::size_t>(layout.ranks())) {
  if (!places.empty()) by_place_ = NodeGroups::byPlace(places, rank);
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
      chunks_.beginGather(call, reads_.shares());
      finish();
  }
}

void NodeAllreduce::finish() {
  while (!chunks_.isOver()) advanceUnless(std::numeric_limits<std::int64_t>::max(), [] { return false; });
}

void NodeAllreduce::runInSlots(const NodeCall& call) {
  ++calls_in_slots_;
  copyIntoSlot(call);
  NodeGroups& groups = call.may_reorder && by_place_ ? *by_place_ : in_order_;
  if (groups.levels() == 1)
    return combineSlots(call, groups.groups().front(), 0, static_cast<std::byte*>(call.receive));
  std::int32_t level = 0;
  for (NodeGroups::Group& group : groups.groups()) {
    NodeSlot& slot = layout_.slot(memory_, rank_, level + 1, calls_in_slots_);
    combineSlots(call, group, level, slot.data);
    wait_.raise(slot.call, calls_in_slots_);
    ++level;
  }
  const std::byte* const result = await(groups.root(), groups.levels());
  copyElements(result, static_cast<std::byte*>(call.receive), call.count, call.combiner);
}

void NodeAllreduce::copyIntoSlot(const NodeCall& call) {
  NodeSlot& slot = layout_.slot(memory_, rank_, 0, calls_in_slots_);
  copyElements(static_cast<const std::byte*>(call.send), slot.data, call.count, call.combiner);
  wait_.raise(slot.call, calls_in_slots_);
}

void NodeAllreduce::combineSlots(const NodeCall& call, NodeGroups::Group& group, std::int32_t level, std::byte* out) {
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
