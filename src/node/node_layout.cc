#include "node/node_layout.h"

#include "node/node_groups.h"

namespace starling {
namespace {

constexpr std::size_t kPageBytes = 4096;

constexpr std::size_t roundedUp(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

constexpr std::size_t kSlotBytes = roundedUp(sizeof(NodeSlot), kFlagBytes);
constexpr std::size_t kSetBytes = static_cast<std::size_t>(NodeLayout::kMostChunkBytes);

}  // namespace

NodeLayout::NodeLayout(std::int32_t ranks) : ranks_(ranks), levels_(NodeGroups::mostLevels(ranks)) {
  const auto count = static_cast<std::size_t>(ranks);
  flags_ = sizeof(NodeSleepers);
  vectors_ = flags_ + 2 * count * sizeof(NodeFlag);
  slots_ = vectors_ + count * sizeof(NodeVectors);
  const std::size_t slots = count * 2 * static_cast<std::size_t>(levels_ + 1) * kSlotBytes;
  chunks_ = roundedUp(slots_ + slots, kPageBytes);
  bytes_ = chunks_ + (count + 1) * kSets * kSetBytes;
}

NodeSlot& NodeLayout::slot(std::byte* memory, std::int32_t rank, std::int32_t level, std::uint64_t call) const {
  const std::size_t of_rank = 2 * static_cast<std::size_t>(levels_ + 1);
  const std::size_t index = static_cast<std::size_t>(rank) * of_rank + 2 * static_cast<std::size_t>(level) + call % 2;
  return *reinterpret_cast<NodeSlot*>(memory + slots_ + index * kSlotBytes);
}

std::byte* NodeLayout::contribution(std::byte* memory, std::int32_t rank, std::uint64_t chunk) const {
  return memory + chunks_ + ((static_cast<std::size_t>(rank) + 1) * kSets + chunk % kSets) * kSetBytes;
}

std::byte* NodeLayout::result(std::byte* memory, std::uint64_t chunk) const {
  return memory + chunks_ + chunk % kSets * kSetBytes;
}

}  // namespace starling
