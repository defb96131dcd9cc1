// What the keys of a process know from each other.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "tuner/candidates.h"
#include "tuner/cost_account.h"
#include "tuner/cost_priors.h"
#include "tuner/first_trials.h"
#include "tuner/key_arrivals.h"
#include "tuner/key_shape.h"
#include "tuner/latest_keys.h"
#include "tuner/rankings.h"

namespace starling {

// Communicators of several threads may learn at the same time: each holds the mutex whenever its keys do anything,
// which takes microseconds, and some milliseconds where rows are ranked.
struct SharedKnowledge {
  std::mutex mutex;
  CostPriors priors;
  LatestKeys latest;
  FirstTrials first_trials;
  Rankings rankings;
  CostAccounts accounts;
  std::int64_t communicators = 0;  // so far

  // Names a communicator that learns.
  std::int64_t newCommunicator() { return ++communicators; }
};

// What one key knows from others of its shape, and they from it. THREADS: not thread-safe; keys of several threads may
// share the knowledge, and who calls holds its mutex.
class ShapeKnowledge {
 public:
  ShapeKnowledge(std::shared_ptr<SharedKnowledge> shared, const KeyShape& shape, KeyOrigin origin);

  const KeyShape& shape() const { return shape_; }
  const KeyOrigin& origin() const { return origin_; }
  // Returns the key's name among those that take part in first trials.
  std::int64_t key() const { return key_; }
  // Returns a name for an account that is another one from now on.
  std::int64_t newName() const { return shared_->first_trials.enter(); }

  // What keys have learned that were of the very shape, or so many size classes away: see CostPriors.
  struct Heritage {
    std::vector<CostResidual> residuals;
    std::int32_t distance = 0;
  };
  Heritage heritage() const;
  // Returns whether there is some of the very shape.
  bool hasHeritage() const;
  // Returns what another key of the very shape runs, with this type and operation; that of the same site, if there is
  // one. Empty: there is none.
  std::optional<LatestKeys::Arranged> latestChoice() const;
  // Returns how ranks came to another key of the very shape and origin; null: there is none.
  std::shared_ptr<const KeyArrivals> latestArrivals() const;
  // Takes the place of what was known of the shape.
  void bequeath(const std::vector<CostResidual>& residuals, LatestKeys::Arranged runs,
                const KeyArrivals& arrivals) const;
  // Notes how the ranks are arranged now, and come, where others have heard that the key runs this.
  void rearrange(LatestKeys::Arranged runs, const KeyArrivals& arrivals) const;

  // These do what the functions of FirstTrials do; `teller` is the name of the key's account.
  bool areTrialsKnown() const;
  bool isUnderWay(const RowForm& row) const;
  std::vector<FirstTrials::Finding> findings(std::int64_t teller) const;
  double excessUnderWay() const;
  void begin(const RowForm& row, double excess) const;
  void tell(std::int64_t teller, const CostResidual& found) const;
  void noteNative() const;
  std::int32_t nativeSeen() const;

  // Returns an account of other keys as CostAccounts::find() does.
  std::shared_ptr<CostAccount> findAccount(const CostAccounts::Kind& kind, std::int64_t communicator,
                                           const CommonArrivals& arrivals, Seconds noise) const;
  // Lets others find the key's account.
  void keepAccount(const CostAccounts::Kind& kind, std::shared_ptr<CostAccount> account) const;

  // Returns the ranking of the query, which may be that of any shape; empty: none is remembered.
  std::optional<std::vector<Candidate>> findRanking(const CandidateQuery& query) const;
  void keepRanking(const CandidateQuery& query, const std::vector<Candidate>& candidates) const;

 private:
  bool isKnownElsewhere() const { return !origin_.site.empty(); }
  LatestKeys::Known knownAs(LatestKeys::Arranged runs, const KeyArrivals& arrivals) const;

  std::shared_ptr<SharedKnowledge> shared_;
  KeyShape shape_;
  KeyOrigin origin_;
  std::int64_t key_;
};

}  // namespace starling
