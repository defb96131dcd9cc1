#include "tuner/site_tracker.h"

#include <algorithm>

namespace starling {
namespace {

// Counts of one context are halved when they reach this sum, so that a program's new phase outweighs its old one soon.
constexpr std::int32_t kForgetAt = 64;

// At most this many contexts are remembered, which takes a few megabytes.
constexpr std::size_t kMaxContexts = 1 << 16;

}  // namespace

SiteTracker::SiteTracker(std::pmr::memory_resource* memory)
    : agreed_(memory),
      fresh_(memory),
      local_of_(memory),
      successors_(memory),
      open_(memory),
      closed_(memory),
      closed_ids_(memory),
      resolved_(memory) {}

std::size_t SiteTracker::growthBytes(std::size_t next_calls) const {
  // These are bytes of a map's node with what the allocator adds, and of the sites that have followed one context.
  constexpr std::size_t kNode = 128;
  constexpr std::size_t kCounts = 1024;
  // Vectors and the index of maps may double, and their old memory is freed only afterwards.
  constexpr std::size_t kDoubled = 3;
  const std::size_t calls = std::max(closed_.size(), next_calls);
  const std::size_t contexts = kLongestContext + 1;
  const std::size_t lists = calls * (2 * sizeof(Entry) + sizeof(SiteId) + sizeof(Call));
  const std::size_t indices =
      (agreed_.size() + fresh_.size() + 2 * local_of_.size() + successors_.size()) * sizeof(void*);
  return calls * (2 * kNode + contexts * (kNode + kCounts)) + kDoubled * (lists + indices + 64 * sizeof(void*));
}

void SiteTracker::push(History& history, SiteId site) {
  std::copy_backward(history.begin(), history.end() - 1, history.end());
  history.front() = site;
}

std::uint64_t SiteTracker::contextHash(const History& history, int length, const Signature& signature) {
  std::uint64_t hash = mixHash(hashOf(signature), static_cast<std::uint64_t>(length));
  for (int i = 0; i < length; ++i) {
    hash = mixHash(hash, static_cast<std::uint64_t>(history[static_cast<std::size_t>(i)]));
  }
  return hash;
}

SiteId SiteTracker::predictAfter(const History& history, const Signature& signature) const {
  for (int length = kLongestContext; length >= 0; --length) {
    const auto found = successors_.find(contextHash(history, length, signature));
    if (found != successors_.end()) return found->second.best;
  }
  return kAnySite;
}

SiteId SiteTracker::predict(const Signature& signature) const {
  if (successors_.empty()) return kAnySite;
  return predictAfter(history_, signature);
}

void SiteTracker::record(LocalSite local, const Signature& signature, SiteId predicted) {
  open_.push_back({local, signature, predicted, follows_gap_});
  follows_gap_ = false;
  push(history_, predicted);
}

std::uint64_t SiteTracker::closeEpoch() {
  closed_.swap(open_);
  open_.clear();
  closed_ids_.clear();
  fresh_.clear();
  std::uint64_t hash = mixHash(0, closed_.size());
  for (const Entry& entry : closed_) {
    SiteId id = entry.predicted;
    if (id < kFirstHandleSite) {
      const auto known = agreed_.find(entry.local);
      const auto next = static_cast<SiteId>(local_of_.size() + fresh_.size() + 1);
      id = known != agreed_.end() ? known->second : fresh_.try_emplace(entry.local, next).first->second;
    }
    closed_ids_.push_back(id);
    hash = mixHash(mixHash(hash, static_cast<std::uint64_t>(id)), hashOf(entry.signature));
  }
  return hash;
}

std::span<const SiteTracker::Call> SiteTracker::resolve(bool agreed) {
  resolved_.clear();
  for (std::size_t i = 0; i < closed_.size(); ++i) {
    resolved_.push_back({agreed ? closed_ids_[i] : closed_[i].predicted, closed_[i].signature});
  }
  if (agreed) {
    History history = agreed_tail_;
    for (std::size_t i = 0; i < closed_.size(); ++i) {
      const SiteId site = closed_ids_[i];
      if (closed_[i].follows_gap) history = {};
      if (site == static_cast<SiteId>(local_of_.size()) + 1) {  // new sites come in the order of their numbers
        agreed_.emplace(closed_[i].local, site);
        local_of_.push_back(closed_[i].local);
      }
      if (site < kFirstHandleSite) learn(history, closed_[i].signature, site);
      predicted_right_ += site == closed_[i].predicted ? 1 : 0;
      push(history, site);
    }
    scored_ += static_cast<std::int64_t>(closed_.size());
    agreed_tail_ = history;
    // Sizes that are never the same twice would fill memory, and cannot be predicted anyway.
    if (successors_.size() > kMaxContexts) successors_.clear();
    // Predictions that went wrong recover here: they start at the true end of the agreed epoch and go through the
    // signatures of the calls since.
    for (const Entry& entry : open_) {
      if (entry.follows_gap) history = {};
      push(history, entry.predicted >= kFirstHandleSite ? entry.predicted : predictAfter(history, entry.signature));
    }
    history_ = follows_gap_ ? History{} : history;
  } else {
    agreed_tail_ = {};
  }
  closed_.clear();
  return resolved_;
}

void SiteTracker::learn(const History& history, const Signature& signature, SiteId next) {
  for (int length = 0; length <= kLongestContext; ++length) {
    if (length > 0 && history[static_cast<std::size_t>(length - 1)] == kAnySite) break;  // nothing is known before it
    Successors& successors = successors_[contextHash(history, length, signature)];
    auto& counts = successors.counts;
    auto entry = std::find_if(counts.begin(), counts.end(), [next](const auto& count) { return count.first == next; });
    if (entry == counts.end()) entry = counts.insert(counts.end(), {next, 0});
    ++entry->second;
    std::int32_t sum = 0;
    for (const auto& count : counts) sum += count.second;
    if (sum >= kForgetAt) {
      for (auto& count : counts) count.second /= 2;
      std::erase_if(counts, [](const auto& count) { return count.second == 0; });
    }
    if (counts.empty()) continue;  // of sites that were all as rare the best before is as good as any
    // Ties go to the lower id, so that equal counts give equal predictions on all ranks.
    successors.best = std::min_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
                        return a.second != b.second ? a.second > b.second : a.first < b.first;
                      })->first;
  }
}

std::size_t SiteTracker::mostSuccessors() const {
  std::size_t most = 0;
  for (const auto& [context, successors] : successors_) most = std::max(most, successors.counts.size());
  return most;
}

SiteId SiteTracker::siteOf(LocalSite local) const {
  const auto known = agreed_.find(local);
  return known == agreed_.end() ? kAnySite : known->second;
}

LocalSite SiteTracker::localSite(SiteId site) const {
  if (site <= kAnySite || site > static_cast<SiteId>(local_of_.size())) return 0;
  return local_of_[static_cast<std::size_t>(site - 1)];
}

}  // namespace starling
