#include "tuner/cost_priors.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace starling {

void CostPriors::learn(std::int32_t ranks, std::int32_t size_class, std::span<const CostResidual> residuals,
                       Arranged runs) {
  std::erase_if(shapes_, [&](const Shape& one) { return one.ranks == ranks && one.size_class == size_class; });
  if (shapes_.size() == kMaxShapes) shapes_.erase(shapes_.begin());
  shapes_.push_back({ranks, size_class, {residuals.begin(), residuals.end()}, std::move(runs)});
}

const CostPriors::Arranged* CostPriors::findChoice(std::int32_t ranks, std::int32_t size_class) const {
  const auto found = std::ranges::find_if(
      shapes_, [&](const Shape& one) { return one.ranks == ranks && one.size_class == size_class; });
  return found == shapes_.end() ? nullptr : &found->runs;
}

std::span<const CostResidual> CostPriors::find(std::int32_t ranks, std::int32_t size_class,
                                               std::int32_t& distance) const {
  const Shape* nearest = nullptr;
  for (const Shape& one : shapes_) {
    const std::int32_t away = std::abs(one.size_class - size_class);
    if (one.ranks != ranks || away > kNeighbours || (nearest != nullptr && away >= distance)) continue;
    nearest = &one;
    distance = away;
  }
  if (nearest == nullptr) return {};
  return nearest->residuals;
}

}  // namespace starling
