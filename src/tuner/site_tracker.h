// Tells which site a call comes from, such that no two ranks can disagree.
//
// A rank knows its own site of a call, but another rank may have reached the same call from another line. So local
// sites are only compared, never used: at the end of an epoch the ranks compare a hash of their sequences, in which
// sites are renumbered by first use. Where all agree, each rank extends the same tables "after these sites, with this
// signature, comes that site" from the same sequence. The key of a call is the site these tables predict.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <unordered_map>
#include <vector>

#include "tuner/signature.h"

namespace starling {

// A rank's own name of a site, such as a return address or the hash of a label; never 0.
using LocalSite = std::uint64_t;

// THREADS: not thread-safe; one per communicator.
class SiteTracker {
 public:
  // Takes all its memory from `memory`, which outlives it.
  explicit SiteTracker(std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // Returns the agreed guess of the next call's site: a pure function of agreed tables, the signatures so far and this
  // signature.
  SiteId predict(const Signature& signature) const;

  // Notes a call: where this rank really came from, and what predict() said for it. A call with a site handle has
  // `predicted` >= kFirstHandleSite and needs no local site.
  void record(LocalSite local, const Signature& signature, SiteId predicted);

  // Notes that calls come now which are not noted: what follows them has no context.
  void interrupt() {
    history_ = {};
    follows_gap_ = true;
  }

  // Ends the epoch: its calls await resolve(). Returns the hash to be compared between the ranks.
  // REQUIRES: no closed epoch awaits resolve().
  std::uint64_t closeEpoch();
  // Returns how many bytes at most are taken by resolve() for the closed epoch, and by record() and closeEpoch() for
  // another one of `next_calls` calls.
  std::size_t growthBytes(std::size_t next_calls) const;

  struct Call {
    SiteId site = kAnySite;  // the agreed site; where the ranks disagree, the predicted one
    Signature signature;
  };
  // Returns a call of the closed epoch as resolve(agreed) will return it. REQUIRES: 0 <= index < closedCalls().
  Call closedCall(std::size_t index, bool agreed) const {
    return {agreed ? closed_ids_[index] : closed_[index].predicted, closed_[index].signature};
  }
  std::size_t closedCalls() const { return closed_.size(); }

  // Takes the outcome of the comparison for the closed epoch and returns its calls, in order and equal on all ranks.
  // Invalidates the spans that earlier calls returned.
  std::span<const Call> resolve(bool agreed);

  // Returns this rank's own name for an agreed site; 0 for kAnySite and for handles.
  LocalSite localSite(SiteId site) const;

  // Returns the agreed site that this rank calls so; kAnySite where there is none yet.
  SiteId siteOf(LocalSite local) const;

  // Returns how many sites are known to have followed one context, at most: what learning a call takes grows with them.
  std::size_t mostSuccessors() const;

  // Count the calls of resolved, agreed epochs, and those of them that were predicted right.
  std::int64_t scored() const { return scored_; }
  std::int64_t predictedRight() const { return predicted_right_; }

 private:
  static constexpr int kLongestContext = 3;
  using History = std::array<SiteId, kLongestContext>;  // newest first; 0 where unknown

  struct Entry {
    LocalSite local = 0;
    Signature signature;
    SiteId predicted = kAnySite;
    bool follows_gap = false;  // calls before it were not noted
  };
  // Tells how often each site followed one context.
  struct Successors {
    using allocator_type = std::pmr::polymorphic_allocator<>;
    explicit Successors(allocator_type allocator) : counts(allocator) {}

    std::pmr::vector<std::pair<SiteId, std::int32_t>> counts;
    SiteId best = kAnySite;
  };

  SiteId predictAfter(const History& history, const Signature& signature) const;
  void learn(const History& history, const Signature& signature, SiteId next);
  static void push(History& history, SiteId site);
  static std::uint64_t contextHash(const History& history, int length, const Signature& signature);

  std::pmr::unordered_map<LocalSite, SiteId> agreed_;  // this rank's local sites -> agreed ids
  std::pmr::unordered_map<LocalSite, SiteId> fresh_;   // those that the closed epoch has shown first
  std::pmr::vector<LocalSite> local_of_;               // agreed id - 1 -> local site
  std::pmr::unordered_map<std::uint64_t, Successors> successors_;
  bool follows_gap_ = false;             // so will the next call
  History history_{};                    // the predicted sites of the latest calls
  History agreed_tail_{};                // the true sites at the end of the latest agreed epoch
  std::pmr::vector<Entry> open_;         // the running epoch
  std::pmr::vector<Entry> closed_;       // the epoch that awaits resolve()
  std::pmr::vector<SiteId> closed_ids_;  // its sites, new ones numbered by first use
  std::pmr::vector<Call> resolved_;
  std::int64_t scored_ = 0;
  std::int64_t predicted_right_ = 0;
};

}  // namespace starling
