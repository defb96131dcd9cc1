// Accounts of what calls cost, each of which keys that are alike keep together: they learn as if they were one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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

  // Returns whether rows would be ranked alike: the same ranks are late, by about as much, whichever places they have.
  // Latenesses that are no more than `noise` make no difference.
  bool areLike(const CommonArrivals& other, Seconds noise) const;
};

// Keys of one kind (CostAccounts::Kind) have an account in common while ranks come alike to their calls: those of one
// communicator, and then of the next one.
// THREADS: not thread-safe; who uses it holds SharedKnowledge::mutex.
struct CostAccount {
  // A choice that all ranks have stopped, and the key whose calls were slow first.
  struct Stop {
    std::int64_t key = 0;
    Choice choice{};

    bool operator==(const Stop&) const = default;
  };

  KeyCosts costs{};
  TrialBudget budget{};
  CommonArrivals arrivals{};          // that rows were ranked for, or are to be
  bool ranking_is_due = false;        // rows are not ranked for these yet
  Seconds until_ranking{};            // elapsed in calls, before all rows may be ranked again
  std::int64_t name = 0;              // among those that explore (FirstTrials::enter())
  std::int64_t communicator = 0;      // whose keys share it now, or did last
  bool is_left = false;               // that was freed
  std::int32_t keys = 0;              // that share it now
  bool was_shared = false;            // there is in it what several keys have found
  std::int32_t times_reopened = 0;    // exploration was
  std::optional<Stop> latest_stop{};  // of those that count
  std::optional<Choice> learned{};    // by an earlier run: a candidate even where the simulator sees no use in it

  // Returns whether what the account knows holds where ranks come so. Latenesses make no difference that are no more
  // than `noise`, or are small beside the fastest of its calls. REQUIRES: costs.isRanked().
  bool suits(const CommonArrivals& others, Seconds noise) const;
};

// The part that one key has in an account, alone or with others. THREADS: as the account.
class AccountShare {
 public:
  // Begins an account. `key` and `communicator` are the names of both.
  AccountShare(std::int64_t key, std::int64_t communicator);
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
  // Leaves the account for a copy of it, which has this name, and in which ranks come so. What other keys are about to
  // try is not known there.
  void separate(std::int64_t name, CommonArrivals arrivals);

 private:
  void enter();
  void leave();

  std::int64_t key_;
  std::int64_t communicator_;
  std::shared_ptr<CostAccount> account_;
};

// The accounts of a process. THREADS: not thread-safe.
class CostAccounts {
 public:
  // Of those that no key shares the one that was asked for least lately gives way, else of all.
  static constexpr std::size_t kMostKept = 64;

  // Keys of one kind make the same calls on ranks that are linked alike.
  struct Kind {
    KeyShape shape;
    std::int64_t count = 0;
    Bytes element_size;
    std::int16_t type = 0;
    std::int16_t operation = 0;
    bool commutative = true;
    bool stamps_compare = true;
    bool shares_memory = false;  // of all ranks: what was touched first there differs from communicator to communicator
    std::vector<std::int32_t> links{};

    bool operator==(const Kind&) const = default;
  };

  // Returns the latest account of the kind that suits such arrivals, and is that of the communicator, or of one that
  // was freed; null: there is none.
  std::shared_ptr<CostAccount> find(const Kind& kind, std::int64_t communicator, const CommonArrivals& arrivals,
                                    Seconds noise);
  // REQUIRES: account->costs.isRanked().
  void add(const Kind& kind, std::shared_ptr<CostAccount> account);
  // Notes that the communicator was freed, and has no keys any more. Others may go on with its accounts, but for those
  // that are of no use without it.
  void leave(std::int64_t communicator);

 private:
  struct Kept {
    Kind kind;
    std::shared_ptr<CostAccount> account;
  };
  std::vector<Kept> accounts_;  // the one that was asked for last comes last
};

}  // namespace starling
