#include "node/association_tree.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace starling {

std::vector<std::int32_t> AssociationTree::widthsOf(std::int32_t ranks) {
  const auto power = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(ranks)));
  std::vector<std::int32_t> widths(static_cast<std::size_t>(power), 1);
  std::fill_n(widths.begin(), ranks - power, 2);
  return widths;
}

AssociationTree AssociationTree::ofRanks(std::int32_t ranks) { return AssociationTree(widthsOf(ranks)); }

AssociationTree::AssociationTree(std::span<const std::int32_t> widths)
    : total_leaves_(std::accumulate(widths.begin(), widths.end(), 0)) {
  addBalanced(widths, 0);
  std::int32_t deepest = 0;
  for (const Node& node : nodes_) deepest = std::max(deepest, node.depth);
  stack_.resize((static_cast<std::size_t>(deepest) + 1) * kPartBytes);
  part_.resize(static_cast<std::size_t>(total_leaves_) + nodes_.size());
}

// Returns the operand that stands for all these places.
std::int32_t AssociationTree::addBalanced(std::span<const std::int32_t> widths, std::int32_t depth) {
  if (widths.size() == 1) return addPlace(widths.front(), depth);
  const std::int32_t left = addBalanced(widths.first(widths.size() / 2), depth);
  const bool is_on_stack = left >= total_leaves_;
  const std::int32_t right = addBalanced(widths.last(widths.size() / 2), depth + (is_on_stack ? 1 : 0));
  return addNode(left, right, depth);
}

std::int32_t AssociationTree::addPlace(std::int32_t width, std::int32_t depth) {
  const std::int32_t leaf = leaves_;
  leaves_ += width;
  return width == 1 ? leaf : addNode(leaf, leaf + 1, depth);
}

std::int32_t AssociationTree::addNode(std::int32_t left, std::int32_t right, std::int32_t depth) {
  nodes_.push_back({left, right, firstLeafOf(left), depth});
  return total_leaves_ + static_cast<std::int32_t>(nodes_.size()) - 1;
}

std::int32_t AssociationTree::firstLeafOf(std::int32_t operand) const {
  return operand < total_leaves_ ? operand : nodes_[static_cast<std::size_t>(operand - total_leaves_)].first_leaf;
}

void AssociationTree::evaluate(const Combiner& combiner, std::span<const std::byte* const> operands, std::byte* out,
                               std::int64_t count) {
  const std::int64_t part = std::max<std::int64_t>(static_cast<std::int64_t>(kPartBytes) / combiner.element_bytes, 1);
  for (std::int64_t done = 0; done < count; done += part) {
    const std::int64_t elements = std::min(part, count - done);
    const std::int64_t offset = done * combiner.element_bytes;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      part_[i] = operands[i] == nullptr ? nullptr : operands[i] + offset;
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const std::size_t operand = static_cast<std::size_t>(leaves_) + i;
      if (part_[operand] != nullptr) continue;
      const Node& node = nodes_[i];
      std::byte* const result = i + 1 == nodes_.size() ? out + offset : stackAt(node.depth);
      combiner(part_[static_cast<std::size_t>(node.left)], part_[static_cast<std::size_t>(node.right)], result,
               elements);
      part_[operand] = result;
    }
  }
}

}  // namespace starling
