#include "tuner/cost_priors.h"

#include <algorithm>
#include <cstdlib>

namespace starling {

void CostPriors::learn(const KeyShape& shape, std::span<const CostResidual> residuals) {
  std::erase_if(shapes_, [&](const Learned& one) { return one.shape == shape; });
  if (shapes_.size() == kMaxShapes) shapes_.erase(shapes_.begin());
  shapes_.push_back({shape, {residuals.begin(), residuals.end()}});
}

std::span<const CostResidual> CostPriors::find(const KeyShape& shape, std::int32_t& distance) const {
  const Learned* nearest = nullptr;
  for (const Learned& one : shapes_) {
    const std::int32_t away = std::abs(one.shape.size_class - shape.size_class);
    if (!one.shape.isOnSameRanks(shape) || away > kNeighbours || (nearest != nullptr && away >= distance)) continue;
    nearest = &one;
    distance = away;
  }
  if (nearest == nullptr) return {};
  return nearest->residuals;
}

}  // namespace starling
