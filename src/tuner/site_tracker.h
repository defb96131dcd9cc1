// Which site a call comes from, such that no two ranks can disagree (design, section 4).
//
// A rank knows its own site of a call, but another rank may have reached the same call from another line. So local
// sites are only compared, never used: at the end of an epoch the ranks compare a hash of their sequences, in which
// sites are renumbered by first use. Where all agree, each rank extends the same tables "after these sites, with this
// signature, comes that site" from the same sequence. The key of a call is the site these tables predict.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "tuner/signature.h"

namespace starling {

// A rank's own name of a site: a return address, the hash of a label, ... Never 0.
using LocalSite = std::uint64_t;

// THREADS: not thread-safe; one per communicator.
class SiteTracker {
 public:
  // The agreed guess of the next call's site. Deterministic: a function of agreed tables, the signatures so far and
  // this signature.
  SiteId predict(const Signature& signature) const;

  // Notes a call: where this rank really came from, and what predict() said for it. A call with a site handle has
  // `predicted` >= kFirstHandleSite and needs no local site.
  void record(LocalSite local, const Signature& signature, SiteId predicted);

  // Ends the epoch: its calls await resolve(). Returns the hash to be compared between the ranks.
  // REQUIRES: no closed epoch awaits resolve().
  std::uint64_t closeEpoch();

  struct Call {
    SiteId site = kAnySite;  // the agreed site; where the ranks disagree, the predicted one
    Signature signature;
  };

  // Takes the outcome of the comparison for the closed epoch and returns its calls, in order. Equal on all ranks.
  // Invalidates the spans that earlier calls returned.
  std::span<const Call> resolve(bool agreed);

  // This rank's own name for an agreed site; 0 for kAnySite and handles.
  LocalSite localSite(SiteId site) const;

  // Calls of resolved, agreed epochs, and how many of them were predicted right.
  std::int64_t scored() const { return scored_; }
  std::int64_t predictedRight() const { return predicted_right_; }

 private:
  static constexpr int kLongestContext = 3;
  using History = std::array<SiteId, kLongestContext>;  // newest first; 0 where unknown

  struct Entry {
    LocalSite local = 0;
    Signature signature;
    SiteId predicted = kAnySite;
  };
  // How often each site followed one context.
  struct Successors {
    std::vector<std::pair<SiteId, std::int32_t>> counts;
    SiteId best = kAnySite;
  };

  SiteId predictAfter(const History& history, const Signature& signature) const;
  void learn(const History& history, const Signature& signature, SiteId next);
  static void push(History& history, SiteId site);
  static std::uint64_t contextHash(const History& history, int length, const Signature& signature);

  std::unordered_map<LocalSite, SiteId> agreed_;  // this rank's local sites -> agreed ids
  std::vector<LocalSite> local_of_;               // agreed id - 1 -> local site
  std::unordered_map<std::uint64_t, Successors> successors_;
  History history_{};               // predicted sites of the latest calls
  History agreed_tail_{};           // true sites at the end of the latest agreed epoch
  std::vector<Entry> open_;         // the running epoch
  std::vector<Entry> closed_;       // the epoch that awaits resolve()
  std::vector<SiteId> closed_ids_;  // its sites, new ones numbered by first use
  std::vector<Call> resolved_;
  std::int64_t scored_ = 0;
  std::int64_t predicted_right_ = 0;
};

}  // namespace starling
