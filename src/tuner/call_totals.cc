#include "tuner/call_totals.h"

namespace starling {

void CallTotals::noteTimed(const Timed& timed) {
  timed_.push_back(timed);
  if (timed.is_disturbed) return;
  undisturbed_.add(timed.elapsed.value);
  undisturbed_waits_.add(timed.waited.value_or(Seconds{}).value);
}

CallTotals::Weights CallTotals::weightsOfEpoch() const {
  const auto disturbed = std::ranges::count_if(timed_, &Timed::is_disturbed);
  const auto others = std::ssize(timed_) - disturbed;
  if (others > 0) return {1.0, static_cast<double>(calls_of_epoch_ - disturbed) / static_cast<double>(others), 0};
  // What an agreement has disturbed stands for others only where nothing else is known.
  if (disturbed > 0 && !undisturbed_.isKnown())
    return {static_cast<double>(calls_of_epoch_) / static_cast<double>(disturbed), 0.0, 0};
  return {1.0, 0.0, calls_of_epoch_ - disturbed};
}

Seconds CallTotals::expectedOfOthers() const {
  const Weights weights = weightsOfEpoch();
  Seconds sum = static_cast<double>(weights.unseen) * usual();
  for (const Timed& one : timed_) sum += (weights.of(one) - 1.0) * one.elapsed;
  return sum;
}

void CallTotals::add(const Timed& one, double weight, double times) {
  calls_ += weight;
  elapsed_ += times * one.elapsed.value;
  imbalance_ += weight * one.imbalance.value;
  clocks_compare_ = one.waited.has_value();
  const double waited = one.waited.value_or(Seconds{}).value;
  waited_ += times * waited;
  latest_waited_ += times * waited;
}

void CallTotals::addUnseen(std::int64_t calls, double share) {
  const auto number = static_cast<double>(calls);
  unseen_seconds_ += share * number * usual().value;
  untimed_calls_ += usual() > Seconds{} ? 0.0 : number;
  const double waited = share * number * usualWait();
  unseen_waited_ += waited;
  latest_unseen_ += waited;
}

double CallTotals::takeAllOverSeen() {
  const double ratio = latest_waited_ > 0.0 ? 1.0 + latest_unseen_ / latest_waited_ : 1.0;
  latest_waited_ = latest_unseen_ = 0.0;
  return ratio;
}

Seconds CallTotals::usual() const {
  if (undisturbed_.isKnown()) return Seconds{undisturbed_.value()};
  return Seconds{calls_ > 0.0 ? elapsed_ / calls_ : 0.0};
}

double CallTotals::usualWait() const {
  if (undisturbed_waits_.isKnown()) return undisturbed_waits_.value();
  return calls_ > 0.0 ? waited_ / calls_ : 0.0;
}

std::optional<double> CallTotals::seconds() const {
  if (calls_ <= 0.0) return std::nullopt;
  return elapsed_ + unseen_seconds_ + untimed_calls_ * usual().value;
}

std::optional<double> CallTotals::waiting() const {
  if (calls_ <= 0.0 || !clocks_compare_) return std::nullopt;
  return waited_ + unseen_waited_ + untimed_calls_ * usualWait();
}

std::optional<double> CallTotals::imbalance() const {
  if (calls_ <= 0.0) return std::nullopt;
  return imbalance_ / calls_;
}

}  // namespace starling
