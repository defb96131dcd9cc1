#include "tuner/pending_decisions.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace starling {

void PendingDecisions::add(DecisionRecord decision) {
  if (decisions_.size() == kMaxDecisions) {
    decisions_.pop_front();
    ++dropped_;
  }
  decisions_.push_back(std::move(decision));
}

void PendingDecisions::moveTo(Batch& batch) {
  if (const std::int64_t dropped = std::exchange(dropped_, 0); dropped > 0) {
    decisions_.front().reason += fmt::format(
        " ({} older decisions were not stored: more than {} waited for the database.)", dropped, kMaxDecisions);
  }
  std::move(decisions_.begin(), decisions_.end(), std::back_inserter(batch.decisions));
  decisions_.clear();
  if (policy_) batch.policies.push_back(*std::exchange(policy_, std::nullopt));
}

}  // namespace starling
