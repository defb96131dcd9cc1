// The tree in which the contributions of the ranks of a node are combined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starling {

// Tells how two vectors are combined: `combine` sets out[i] = left[i] op right[i] for i in [0, count); `out` may be
// `left` or `right` itself.
struct Combiner {
  void (*combine)(const void* context, const void* left, const void* right, void* out, std::int64_t count) = nullptr;
  const void* context = nullptr;
  std::int64_t element_bytes = 0;
  // Elements have gaps, which belong to the program; then two operands that are the same combine to that.
  bool has_gaps = false;

  void operator()(const std::byte* left, const std::byte* right, std::byte* out, std::int64_t count) const {
    combine(context, left, right, out, count);
  }
};

// It is the association of recursive doubling (algos/fold.h), so that the result has the bits that all rows of fixed
// association have: where the ranks are no power of two, the first of them are combined in pairs, and what is left in a
// balanced binary tree. Operands keep the order of the ranks. It depends on nothing else, so that it does not matter
// for the result who combines, and when. THREADS: evaluate() has memory of its own; not thread-safe.
class AssociationTree {
 public:
  // One combination of two operands. An operand below leaves() is the contribution of that place; operand leaves() + i
  // is the result of combination i.
  struct Node {
    std::int32_t left = 0;
    std::int32_t right = 0;
    std::int32_t first_leaf = 0;  // of all those below it
    std::int32_t depth = 0;       // of the stack on which results lie that wait for others
  };

  // The tree over the ranks of a node. REQUIRES: ranks >= 1.
  static AssociationTree ofRanks(std::int32_t ranks);
  // Returns for each place of the balanced part how many ranks are combined there first: 2 or 1.
  static std::vector<std::int32_t> widthsOf(std::int32_t ranks);
  // The tree over places of these widths. REQUIRES: their number is a power of two.
  explicit AssociationTree(std::span<const std::int32_t> widths);

  std::int32_t leaves() const { return leaves_; }
  // Operands come before what they are part of; the last one is the result of all.
  std::span<const Node> nodes() const { return nodes_; }

  // Combines vectors of `count` elements into `out`. `operands` has where each operand lies: all contributions, and
  // those results that are known already; null: not known. It goes part by part, so that what is in between stays in
  // the nearest cache. `out` may be where one of the operands lies, else may not overlap them.
  // REQUIRES: operands.size() == leaves() + nodes().size(), leaves() > 1.
  void evaluate(const Combiner& combiner, std::span<const std::byte* const> operands, std::byte* out,
                std::int64_t count);

 private:
  std::int32_t addBalanced(std::span<const std::int32_t> widths, std::int32_t depth);
  std::int32_t addPlace(std::int32_t width, std::int32_t depth);
  std::int32_t addNode(std::int32_t left, std::int32_t right, std::int32_t depth);
  std::int32_t firstLeafOf(std::int32_t operand) const;
  std::byte* stackAt(std::int32_t depth) { return stack_.data() + static_cast<std::size_t>(depth) * kPartBytes; }

  static constexpr std::size_t kPartBytes = 4096;

  std::int32_t leaves_ = 0;
  std::int32_t total_leaves_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::byte> stack_;  // parts of results that wait for others
  std::vector<const std::byte*> part_;
};

}  // namespace starling
