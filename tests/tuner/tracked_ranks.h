// The site trackers of several ranks in one process, driven at the ends of epochs as mpi/epoch_loop.cc drives them.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tuner/site_tracker.h"

namespace starling {

// After every call all ranks must predict the same for every signature met so far: that is checked throughout.
class TrackedRanks {
 public:
  TrackedRanks(std::size_t ranks, std::size_t epoch_length) : trackers_(ranks), epoch_length_(epoch_length) {}

  // One collective call: where each rank calls from, by rank.
  void call(std::span<const LocalSite> locals, const Signature& signature) {
    noteSignature(signature);
    const SiteId predicted = predict(signature);
    bool right = true;
    for (std::size_t rank = 0; rank < trackers_.size(); ++rank) {
      right = right && trackers_[rank].localSite(predicted) == locals[rank];
      trackers_[rank].record(locals[rank], signature, predicted);
    }
    finishCall(right);
  }

  // All ranks call from the same line.
  void call(LocalSite local, const Signature& signature) {
    call(std::vector<LocalSite>(trackers_.size(), local), signature);
  }

  // A call with a site handle, which all ranks know.
  void callHandle(SiteId handle, const Signature& signature) {
    for (SiteTracker& tracker : trackers_) tracker.record(0, signature, handle);
    finishCall(true);
  }

  // Calls follow that are not noted.
  void interrupt() {
    for (SiteTracker& tracker : trackers_) tracker.interrupt();
  }

  void setEpochLength(std::size_t calls) { epoch_length_ = calls; }

  // The end of an epoch. The epoch before it is resolved first, then the running one is closed.
  void endEpoch() {
    if (agreed_) resolve(*agreed_);
    agreed_ = true;
    const std::uint64_t hash = trackers_.front().closeEpoch();
    for (std::size_t rank = 1; rank < trackers_.size(); ++rank) {
      if (trackers_[rank].closeEpoch() != hash) agreed_ = false;
    }
    agreed_epochs_ += *agreed_ ? 1 : 0;
    calls_in_epoch_ = 0;
    checkAgreement();
  }

  SiteId predict(const Signature& signature) const {
    const SiteId predicted = trackers_.front().predict(signature);
    for (const SiteTracker& tracker : trackers_) EXPECT_EQ(tracker.predict(signature), predicted);
    return predicted;
  }

  const SiteTracker& tracker(std::size_t rank) const { return trackers_[rank]; }
  // The calls that the ranks resolved, in order.
  const std::vector<SiteTracker::Call>& resolved() const { return resolved_; }
  std::int64_t agreedEpochs() const { return agreed_epochs_; }

  // Calls since startScore(), and those whose prediction was, on every rank, the line it called from.
  void startScore() { scored_ = right_ = 0; }
  std::int64_t scored() const { return scored_; }
  std::int64_t right() const { return right_; }

 private:
  void noteSignature(const Signature& signature) {
    for (const Signature& known : signatures_) {
      if (known == signature) return;
    }
    signatures_.push_back(signature);
  }

  void finishCall(bool right) {
    ++scored_;
    right_ += right ? 1 : 0;
    checkAgreement();
    if (++calls_in_epoch_ >= epoch_length_) endEpoch();
  }

  void resolve(bool agreed) {
    const std::span<const SiteTracker::Call> calls = trackers_.front().resolve(agreed);
    for (std::size_t rank = 1; rank < trackers_.size(); ++rank) {
      const std::span<const SiteTracker::Call> others = trackers_[rank].resolve(agreed);
      ASSERT_EQ(others.size(), calls.size());
      for (std::size_t i = 0; i < calls.size(); ++i) {
        EXPECT_EQ(others[i].site, calls[i].site) << "rank " << rank << ", call " << i;
        EXPECT_EQ(others[i].signature, calls[i].signature) << "rank " << rank << ", call " << i;
      }
    }
    resolved_.insert(resolved_.end(), calls.begin(), calls.end());
  }

  void checkAgreement() const {
    for (const Signature& signature : signatures_) predict(signature);
    for (const SiteTracker& tracker : trackers_) {
      EXPECT_EQ(tracker.scored(), trackers_.front().scored());
      EXPECT_EQ(tracker.predictedRight(), trackers_.front().predictedRight());
    }
  }

  std::vector<SiteTracker> trackers_;
  std::size_t epoch_length_;
  std::size_t calls_in_epoch_ = 0;
  std::optional<bool> agreed_;  // outcome of the closed epoch; empty before the first
  std::int64_t agreed_epochs_ = 0;
  std::vector<Signature> signatures_;
  std::vector<SiteTracker::Call> resolved_;
  std::int64_t scored_ = 0;
  std::int64_t right_ = 0;
};

// `count` doubles to be summed.
inline Signature doubles(std::int64_t count) {
  Signature signature;
  signature.count = count;
  signature.element_size = 8;
  signature.type = 1;
  signature.operation = 1;
  return signature;
}

}  // namespace starling
