#include "tuner/cost_account.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tuner/unpredicted_arrivals.h"

namespace starling {
namespace {

// Of what a call takes, a lateness that makes no difference.
constexpr double kMakesNoDifference = 0.1;
// Latenesses that differ by no more than this share of the greatest one make no difference, as in a key's plans.
constexpr double kSameLateness = 0.25;

std::int64_t latenessOf(std::span<const PlacedRank> placed, std::int32_t rank) {
  const auto found = std::ranges::find(placed, rank, &PlacedRank::rank);
  return found == placed.end() ? 0 : found->lateness_ns;
}

std::int64_t greatestIn(std::span<const PlacedRank> placed) {
  std::int64_t greatest = 0;
  for (const PlacedRank& one : placed) greatest = std::max(greatest, one.lateness_ns);
  return greatest;
}

}  // namespace

bool CommonArrivals::areLike(const CommonArrivals& other, Seconds noise) const {
  const std::int64_t greatest = std::max(greatestIn(placed), greatestIn(other.placed));
  if (fromNanoseconds(greatest) <= noise) return !differNoticeably(latest, other.latest, noise);
  const auto is_near = [&](const PlacedRank& one) {
    const std::int64_t apart = std::abs(latenessOf(placed, one.rank) - latenessOf(other.placed, one.rank));
    return static_cast<double>(apart) <= kSameLateness * static_cast<double>(greatest);
  };
  return std::ranges::all_of(placed, is_near) && std::ranges::all_of(other.placed, is_near);
}

bool CostAccount::suits(const CommonArrivals& others, Seconds noise) const {
  return arrivals.areLike(others, std::max(noise, kMakesNoDifference * costs.leastExpected()));
}

AccountShare::AccountShare(std::int64_t key, std::int64_t communicator)
    : key_(key), communicator_(communicator), account_(std::make_shared<CostAccount>()) {
  account_->name = key;
  enter();
}

AccountShare::~AccountShare() { leave(); }

void AccountShare::enter() {
  if (std::exchange(account_->communicator, communicator_) != communicator_) {
    account_->costs.noteCommunicator();
    if (account_->costs.isRanked()) account_->budget.noteCommunicator();
  }
  account_->is_left = false;
  account_->was_shared = account_->was_shared || account_->costs.isRanked();
  account_->budget.noteKeys(++account_->keys);
}

void AccountShare::leave() {
  account_->costs.forgetTrials(key_);
  account_->budget.noteKeys(--account_->keys);
}

void AccountShare::moveTo(std::shared_ptr<CostAccount> other) {
  leave();
  account_ = std::move(other);
  enter();
}

void AccountShare::separate(std::int64_t name, CommonArrivals arrivals) {
  auto own = std::make_shared<CostAccount>(*account_);
  own->keys = 0;
  own->name = name;
  own->arrivals = std::move(arrivals);
  own->costs.forgetTrialsOfOthers(key_);
  moveTo(std::move(own));
}

std::shared_ptr<CostAccount> CostAccounts::find(const Kind& kind, std::int64_t communicator,
                                                const CommonArrivals& arrivals, Seconds noise) {
  for (auto one = accounts_.end(); one != accounts_.begin();) {
    --one;
    const CostAccount& account = *one->account;
    if (one->kind != kind || !(account.is_left || account.communicator == communicator)) continue;
    if (!account.suits(arrivals, noise)) continue;
    std::rotate(one, one + 1, accounts_.end());
    return accounts_.back().account;
  }
  return nullptr;
}

void CostAccounts::add(const Kind& kind, std::shared_ptr<CostAccount> account) {
  if (accounts_.size() == kMostKept) {
    const auto unused = std::ranges::find(accounts_, 0, [](const Kept& one) { return one.account->keys; });
    accounts_.erase(unused == accounts_.end() ? accounts_.begin() : unused);
  }
  accounts_.push_back({kind, std::move(account)});
}

void CostAccounts::leave(std::int64_t communicator) {
  std::erase_if(accounts_, [communicator](const Kept& one) {
    return one.kind.shares_memory && one.account->communicator == communicator;
  });
  for (const Kept& one : accounts_) {
    if (one.account->communicator == communicator) one.account->is_left = true;
  }
}

}  // namespace starling
