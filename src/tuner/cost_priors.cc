#include "tuner/cost_priors.h"

#include <algorithm>
#include <cstdlib>

namespace starling {

void CostPriors::learn(const KeyShape& shape, std::span<const CostResidual> residuals) {
  std::erase_if(shapes_, [&](const Learned& one) { return one.shape == shape; });
  if (shapes_.size() == kMaxShapes) shapes_.erase(shapes_.begin());
  shapes_.push_back({shape, {residuals.begin(), residuals.end()}});
}

void CostPriors::learnOfEarlierRun(const KeyShape& shape, std::span<const CostResidual> residuals) {
  if (residuals.empty() || shapes_.size() == kMaxShapes) return;
  if (std::ranges::find(shapes_, shape, &Learned::shape) != shapes_.end()) return;
  shapes_.push_back({shape, {residuals.begin(), residuals.end()}, true});
}

const CostPriors::Learned* CostPriors::find(const KeyShape& shape) const {
  const auto away = [&](const Learned& one) { return std::abs(one.shape.size_class - shape.size_class); };
  const Learned* nearest = nullptr;
  for (const Learned& one : shapes_) {
    if (!one.shape.isOnSameRanks(shape) || away(one) > kNeighbours) continue;
    if (nearest == nullptr || away(one) < away(*nearest)) nearest = &one;
  }
  return nearest;
}

}  // namespace starling
