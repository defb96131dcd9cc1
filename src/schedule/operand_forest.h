// Operand trees tell which inputs a value is made of, and in which order and association they were combined.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace starling {

// Equal trees have equal ids, so values are compared by id.
using TreeId = std::uint32_t;

// THREADS: one.
class OperandForest {
 public:
  // Begins with one leaf per rank: the tree `r` is the input of rank r.
  explicit OperandForest(std::int32_t ranks);

  TreeId combine(TreeId left, TreeId right);

  // Returns a rank whose input is in both trees, if there is any.
  std::optional<std::int32_t> sharedInput(TreeId a, TreeId b) const;
  // Returns a rank whose input is not in the tree, if there is any.
  std::optional<std::int32_t> missingInput(TreeId tree) const;
  // Returns whether the tree's leaves ascend by rank from left to right.
  bool isInRankOrder(TreeId tree) const { return nodes_[tree].is_in_order; }

 private:
  struct Node {
    std::int32_t first;  // leftmost and rightmost leaf
    std::int32_t last;
    bool is_in_order;
  };

  const std::uint64_t* inputsOf(TreeId tree) const { return inputs_.data() + tree * words_; }

  std::int32_t ranks_;
  std::size_t words_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> inputs_;                   // by tree, `words_` each: a bit per rank
  std::unordered_map<std::uint64_t, TreeId> combined_;  // by (left, right)
};

}  // namespace starling
