#include "tuner/first_trials.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace starling {
namespace {

// Returns how many size classes lie between, more than any where ranks are others.
std::int32_t distanceBetween(const KeyShape& a, const KeyShape& b) {
  return a.isOnSameRanks(b) ? std::abs(a.size_class - b.size_class) : std::numeric_limits<std::int32_t>::max();
}

}  // namespace

void FirstTrials::noteDecision(std::int64_t communicator) {
  if (std::ranges::find(decided_, communicator) != decided_.end() || decided_.size() == kMostInRound) {
    ++now_;
    decided_.clear();
  }
  decided_.push_back(communicator);
}

FirstTrials::Trial& FirstTrials::trialOf(const KeyShape& shape, const RowForm& row) {
  const auto found = std::ranges::find_if(
      trials_, [&](const Trial& one) { return one.found.row == row && distanceBetween(one.shape, shape) == 0; });
  if (found != trials_.end()) {
    std::rotate(found, found + 1, trials_.end());
    return trials_.back();
  }
  if (trials_.size() == kMaxKept) trials_.erase(trials_.begin());
  trials_.push_back({.shape = shape, .found = {.row = row}});
  return trials_.back();
}

void FirstTrials::begin(const KeyShape& shape, const RowForm& row, double excess) {
  Trial& trial = trialOf(shape, row);
  trial.excess = excess;
  trial.is_under_way = true;
  trial.is_found = false;
  trial.since = now_;
}

void FirstTrials::tell(std::int64_t key, const KeyShape& shape, const CostResidual& found) {
  Trial& trial = trialOf(shape, found.row);
  trial.found = found;
  trial.finder = key;
  trial.since = now_;
  trial.is_found = true;
  trial.is_under_way = false;
}

bool FirstTrials::isUnderWay(const Trial& trial, const KeyShape& shape) const {
  return trial.is_under_way && now_ - trial.since < kRoundsToWait &&
         distanceBetween(trial.shape, shape) <= CostPriors::kNeighbours;
}

bool FirstTrials::isUnderWay(const KeyShape& shape, const RowForm& row) const {
  return std::ranges::any_of(trials_, [&](const Trial& one) { return one.found.row == row && isUnderWay(one, shape); });
}

double FirstTrials::excessUnderWay(const KeyShape& shape) const {
  double excess = 0.0;
  for (const Trial& one : trials_) excess += isUnderWay(one, shape) ? one.excess : 0.0;
  return excess;
}

void FirstTrials::noteNative(const KeyShape& shape) {
  const auto found =
      std::ranges::find_if(natives_, [&](const Native& one) { return distanceBetween(one.shape, shape) == 0; });
  if (found != natives_.end()) {
    ++found->calls;
    return;
  }
  if (natives_.size() == kMaxShapes) natives_.erase(natives_.begin());
  natives_.push_back({shape, 1});
}

std::int32_t FirstTrials::nativeSeen(const KeyShape& shape) const {
  const auto found =
      std::ranges::find_if(natives_, [&](const Native& one) { return distanceBetween(one.shape, shape) == 0; });
  return found == natives_.end() ? 0 : found->calls;
}

bool FirstTrials::areKnown(const KeyShape& shape) const {
  return std::ranges::any_of(trials_, [&](const Trial& one) { return distanceBetween(one.shape, shape) == 0; });
}

std::vector<FirstTrials::Finding> FirstTrials::findings(std::int64_t key, const KeyShape& shape) const {
  std::vector<Finding> findings;
  for (const Trial& one : trials_) {
    const std::int32_t distance = distanceBetween(one.shape, shape);
    const bool is_news = one.is_found && one.finder != key && now_ - one.since < kRoundsToHear;
    if (is_news && distance <= CostPriors::kNeighbours) findings.push_back({one.found, distance});
  }
  std::ranges::stable_sort(findings, {}, &Finding::distance);
  return findings;
}

}  // namespace starling
