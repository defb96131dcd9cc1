#include "tuner/latest_keys.h"

#include <algorithm>
#include <utility>

namespace starling {
namespace {

bool areAlike(const KeyOrigin& a, const KeyOrigin& b) { return a.type == b.type && a.operation == b.operation; }

bool areOneKind(const LatestKeys::Known& a, const LatestKeys::Known& b) {
  return a.shape == b.shape && areAlike(a.origin, b.origin);
}

}  // namespace

void LatestKeys::note(Known known) {
  std::erase_if(keys_, [&](const Known& one) { return one.shape == known.shape && one.origin == known.origin; });
  if (keys_.size() == kMaxKeys) keys_.erase(keys_.begin());
  keys_.push_back(std::move(known));
}

void LatestKeys::rearrange(const Known& known) {
  for (Known& one : keys_) {
    const bool is_the_key = one.shape == known.shape && one.origin == known.origin;
    if (is_the_key && one.runs.choice == known.runs.choice) one = known;
  }
}

const LatestKeys::Arranged* LatestKeys::findChoice(const KeyShape& shape, const KeyOrigin& origin) const {
  const Arranged* latest = nullptr;
  for (const Known& one : keys_) {
    if (one.shape != shape || !areAlike(one.origin, origin)) continue;
    latest = &one.runs;
    if (one.origin.site == origin.site) break;
  }
  return latest;
}

std::shared_ptr<const KeyArrivals> LatestKeys::findArrivals(const KeyShape& shape, const KeyOrigin& origin) const {
  const auto found =
      std::ranges::find_if(keys_, [&](const Known& one) { return one.shape == shape && one.origin == origin; });
  return found == keys_.end() ? nullptr : found->arrivals;
}

void LatestKeys::noteStop(const KeyShape& shape, const KeyOrigin& origin, const Choice& choice) {
  for (Known& one : keys_) {
    if (one.shape != shape || !areAlike(one.origin, origin) || one.runs.choice != choice) continue;
    one.runs = {};
    one.runs.was_stopped = true;
  }
}

std::vector<std::reference_wrapper<const LatestKeys::Known>> LatestKeys::latestOn(const KeyShape& ranks,
                                                                                  std::size_t most) const {
  std::vector<std::reference_wrapper<const Known>> latest;
  for (auto one = keys_.rbegin(); one != keys_.rend() && latest.size() < most; ++one) {
    const bool is_latest =
        std::none_of(keys_.rbegin(), one, [&](const Known& later) { return areOneKind(later, *one); });
    const bool is_native = one->runs.choice.algorithm == kNativeAlgorithm;
    if (one->shape.isOnSameRanks(ranks) && is_latest && !is_native) latest.emplace_back(*one);
  }
  return latest;
}

}  // namespace starling
