#include "tuner/shared_knowledge.h"

#include <span>
#include <utility>

namespace starling {

ShapeKnowledge::ShapeKnowledge(std::shared_ptr<SharedKnowledge> shared, const KeyShape& shape, KeyOrigin origin)
    : shared_(std::move(shared)), shape_(shape), origin_(std::move(origin)), key_(shared_->first_trials.enter()) {}

ShapeKnowledge::Heritage ShapeKnowledge::heritage() const {
  Heritage heritage;
  const std::span<const CostResidual> known = shared_->priors.find(shape_, heritage.distance);
  heritage.residuals.assign(known.begin(), known.end());
  return heritage;
}

bool ShapeKnowledge::hasHeritage() const {
  std::int32_t distance = 0;
  return !shared_->priors.find(shape_, distance).empty() && distance == 0;
}

std::optional<LatestKeys::Arranged> ShapeKnowledge::latestChoice() const {
  const LatestKeys::Arranged* const latest = shared_->latest.findChoice(shape_, origin_);
  return latest != nullptr ? std::optional(*latest) : std::nullopt;
}

std::shared_ptr<const KeyArrivals> ShapeKnowledge::latestArrivals() const {
  return shared_->latest.findArrivals(shape_, origin_);
}

void ShapeKnowledge::bequeath(const std::vector<CostResidual>& residuals, LatestKeys::Arranged runs,
                              const KeyArrivals& arrivals) const {
  shared_->priors.learn(shape_, residuals);
  if (isKnownElsewhere()) shared_->latest.note(knownAs(std::move(runs), arrivals));
}

void ShapeKnowledge::rearrange(LatestKeys::Arranged runs, const KeyArrivals& arrivals) const {
  shared_->latest.rearrange(knownAs(std::move(runs), arrivals));
}

LatestKeys::Known ShapeKnowledge::knownAs(LatestKeys::Arranged runs, const KeyArrivals& arrivals) const {
  return {shape_, origin_, std::move(runs), std::make_shared<KeyArrivals>(arrivals)};
}

bool ShapeKnowledge::areTrialsKnown() const { return shared_->first_trials.areKnown(shape_); }

bool ShapeKnowledge::isUnderWay(const RowForm& row) const { return shared_->first_trials.isUnderWay(shape_, row); }

std::vector<FirstTrials::Finding> ShapeKnowledge::findings(std::int64_t teller) const {
  return shared_->first_trials.findings(teller, shape_);
}

double ShapeKnowledge::excessUnderWay() const { return shared_->first_trials.excessUnderWay(shape_); }

void ShapeKnowledge::begin(const RowForm& row, double excess) const {
  shared_->first_trials.begin(shape_, row, excess);
}

void ShapeKnowledge::tell(std::int64_t teller, const CostResidual& found) const {
  shared_->first_trials.tell(teller, shape_, found);
}

void ShapeKnowledge::noteNative() const { shared_->first_trials.noteNative(shape_); }

std::int32_t ShapeKnowledge::nativeSeen() const { return shared_->first_trials.nativeSeen(shape_); }

std::optional<std::vector<Candidate>> ShapeKnowledge::findRanking(const CandidateQuery& query) const {
  return shared_->rankings.find(query);
}

void ShapeKnowledge::keepRanking(const CandidateQuery& query, const std::vector<Candidate>& candidates) const {
  shared_->rankings.insert(query, candidates);
}

std::shared_ptr<CostAccount> ShapeKnowledge::findAccount(const CostAccounts::Kind& kind, std::int64_t communicator,
                                                         const CommonArrivals& arrivals, Seconds noise) const {
  return isKnownElsewhere() ? shared_->accounts.find(kind, communicator, arrivals, noise) : nullptr;
}

void ShapeKnowledge::keepAccount(const CostAccounts::Kind& kind, std::shared_ptr<CostAccount> account) const {
  if (isKnownElsewhere()) shared_->accounts.add(kind, std::move(account));
}

}  // namespace starling
