#include "schedule/operand_forest.h"

#include <bit>

namespace starling {
namespace {

constexpr std::size_t kBits = 64;

}  // namespace

OperandForest::OperandForest(std::int32_t ranks) : ranks_(ranks), words_((ranks + kBits - 1) / kBits) {
  inputs_.resize(ranks * words_, 0);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    nodes_.push_back({rank, rank, true});
    inputs_[rank * words_ + rank / kBits] = std::uint64_t{1} << (rank % kBits);
  }
}

TreeId OperandForest::combine(TreeId left, TreeId right) {
  const std::uint64_t key = (std::uint64_t{left} << 32) | right;
  const auto [entry, is_new] = combined_.try_emplace(key, static_cast<TreeId>(nodes_.size()));
  if (!is_new) return entry->second;
  const Node& a = nodes_[left];
  const Node& b = nodes_[right];
  nodes_.push_back({a.first, b.last, a.is_in_order && b.is_in_order && a.last < b.first});
  for (std::size_t i = 0; i < words_; ++i) inputs_.push_back(inputsOf(left)[i] | inputsOf(right)[i]);
  return entry->second;
}

std::optional<std::int32_t> OperandForest::sharedInput(TreeId a, TreeId b) const {
  for (std::size_t i = 0; i < words_; ++i) {
    const std::uint64_t shared = inputsOf(a)[i] & inputsOf(b)[i];
    if (shared != 0) return static_cast<std::int32_t>(i * kBits) + std::countr_zero(shared);
  }
  return std::nullopt;
}

std::optional<std::int32_t> OperandForest::missingInput(TreeId tree) const {
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    if ((inputsOf(tree)[rank / kBits] >> (rank % kBits) & 1) == 0) return rank;
  }
  return std::nullopt;
}

}  // namespace starling
