// Accounts of what calls cost, each of which keys that are alike keep together: they learn as if they were one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/units.h"
#include "tuner/key_costs.h"
#include "tuner/key_shape.h"
#include "tuner/placement.h"
#include "tuner/trial_budget.h"

namespace starling {

// How ranks come to calls, as far as that makes a difference to what these cost.
struct CommonArrivals {
  std::vector<PlacedRank> placed{};  // with the latenesses that are predicted
  Seconds latest{};                  // where none is predicted to be late: how late the last one is as a rule
  Seconds noise{};                   // what is no more makes no difference

  // Returns whether rows would be ranked alike: the same ranks are late, by about as much, whichever places they have.
  bool areLike(const CommonArrivals& other) const;
};

// Keys of one kind (CostAccounts::Kind) have an account in common while ranks come alike to their calls.
// THREADS: not thread-safe; the keys of several communicators may share it: SharedKnowledge::learning is held.
struct CostAccount {
  KeyCosts costs{};
  TrialBudget budget{};
  CommonArrivals arrivals{};        // that rows were ranked for, or are to be
  bool ranking_is_due = false;      // rows are not ranked for these yet
  std::int64_t name = 0;            // of the key that began it (FirstTrials::enter())
  std::int32_t keys = 0;            // that share it now
  std::int32_t times_reopened = 0;  // exploration was
};

// The part that one key has in an account, alone or with others. THREADS: as the account.
class AccountShare {
 public:
  // Begins an account. `key` is the key's name.
  explicit AccountShare(std::int64_t key);
  // What the key has planned to try is not waited for any more.
  ~AccountShare();
  AccountShare(const AccountShare&) = delete;
  AccountShare& operator=(const AccountShare&) = delete;

  CostAccount& operator*() { return *account_; }
  const CostAccount& operator*() const { return *account_; }
  CostAccount* operator->() { return account_.get(); }
  const CostAccount* operator->() const { return account_.get(); }
  const std::shared_ptr<CostAccount>& account() const { return account_; }

  bool isShared() const { return account_->keys > 1; }
  // Leaves the account for another one.
  void moveTo(std::shared_ptr<CostAccount> other);
  // Leaves the account for a copy of it, in which ranks come otherwise.
  void separate(CommonArrivals arrivals);

 private:
  void enter();
  void leave();

  std::int64_t key_;
  std::shared_ptr<CostAccount> account_;
};

// The accounts of a process. THREADS: not thread-safe.
class CostAccounts {
 public:
  static constexpr std::size_t kMostKept = 64;  // of those that no key shares the oldest gives way, else the oldest

  // Keys of one kind make the same calls. Where ranks share memory what is touched first is a communicator's own, and
  // so are the costs: elsewhere `communicator` is 0.
  struct Kind {
    KeyShape shape;
    std::int64_t count = 0;
    Bytes element_size;
    bool commutative = true;
    bool stamps_compare = true;
    std::int64_t communicator = 0;

    bool operator==(const Kind&) const = default;
  };

  // Returns the latest account of the kind to whose calls ranks come alike; null: there is none.
  std::shared_ptr<CostAccount> find(const Kind& kind, const CommonArrivals& arrivals) const;
  void add(const Kind& kind, std::shared_ptr<CostAccount> account);

 private:
  struct Kept {
    Kind kind;
    std::shared_ptr<CostAccount> account;
  };
  std::vector<Kept> accounts_;  // the latest last
};

}  // namespace starling
