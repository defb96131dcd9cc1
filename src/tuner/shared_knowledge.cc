#include "tuner/shared_knowledge.h"

#include <span>
#include <utility>

namespace starling {

ShapeKnowledge::ShapeKnowledge(std::shared_ptr<SharedKnowledge> shared, const KeyShape& shape, KeyOrigin origin)
    : shared_(std::move(shared)), shape_(shape), origin_(std::move(origin)) {
  const std::lock_guard lock(shared_->mutex);
  name_ = shared_->first_trials.enter();
}

ShapeKnowledge::Heritage ShapeKnowledge::heritage() const {
  Heritage heritage;
  const std::lock_guard lock(shared_->mutex);
  const std::span<const CostResidual> known = shared_->priors.find(shape_, heritage.distance);
  heritage.residuals.assign(known.begin(), known.end());
  return heritage;
}

bool ShapeKnowledge::hasHeritage() const {
  std::int32_t distance = 0;
  const std::lock_guard lock(shared_->mutex);
  return !shared_->priors.find(shape_, distance).empty() && distance == 0;
}

std::optional<LatestKeys::Arranged> ShapeKnowledge::latestChoice() const {
  const std::lock_guard lock(shared_->mutex);
  const LatestKeys::Arranged* const latest = shared_->latest.findChoice(shape_, origin_);
  return latest != nullptr ? std::optional(*latest) : std::nullopt;
}

std::shared_ptr<const KeyArrivals> ShapeKnowledge::latestArrivals() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->latest.findArrivals(shape_, origin_);
}

void ShapeKnowledge::bequeath(const std::vector<CostResidual>& residuals, LatestKeys::Arranged runs,
                              const KeyArrivals& arrivals) const {
  LatestKeys::Known known = knownAs(std::move(runs), arrivals);
  const std::lock_guard lock(shared_->mutex);
  shared_->priors.learn(shape_, residuals);
  if (!origin_.site.empty()) shared_->latest.note(std::move(known));
}

void ShapeKnowledge::rearrange(LatestKeys::Arranged runs, const KeyArrivals& arrivals) const {
  const LatestKeys::Known known = knownAs(std::move(runs), arrivals);
  const std::lock_guard lock(shared_->mutex);
  shared_->latest.rearrange(known);
}

LatestKeys::Known ShapeKnowledge::knownAs(LatestKeys::Arranged runs, const KeyArrivals& arrivals) const {
  return {shape_, origin_, std::move(runs), std::make_shared<KeyArrivals>(arrivals)};
}

bool ShapeKnowledge::areTrialsKnown() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->first_trials.areKnown(shape_);
}

bool ShapeKnowledge::isUnderWay(const RowForm& row) const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->first_trials.isUnderWay(shape_, row);
}

std::vector<FirstTrials::Finding> ShapeKnowledge::findings() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->first_trials.findings(name_, shape_);
}

double ShapeKnowledge::excessUnderWay() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->first_trials.excessUnderWay(shape_);
}

void ShapeKnowledge::begin(const RowForm& row, double excess) const {
  const std::lock_guard lock(shared_->mutex);
  shared_->first_trials.begin(shape_, row, excess);
}

void ShapeKnowledge::tell(const CostResidual& found) const {
  const std::lock_guard lock(shared_->mutex);
  shared_->first_trials.tell(name_, shape_, found);
}

void ShapeKnowledge::noteNative() const {
  const std::lock_guard lock(shared_->mutex);
  shared_->first_trials.noteNative(shape_);
}

std::int32_t ShapeKnowledge::nativeSeen() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->first_trials.nativeSeen(shape_);
}

std::optional<std::vector<Candidate>> ShapeKnowledge::findRanking(const CandidateQuery& query) const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->rankings.find(query);
}

void ShapeKnowledge::keepRanking(const CandidateQuery& query, const std::vector<Candidate>& candidates) const {
  const std::lock_guard lock(shared_->mutex);
  shared_->rankings.insert(query, candidates);
}

}  // namespace starling
