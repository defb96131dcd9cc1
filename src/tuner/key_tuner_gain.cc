// This part of a key's tuner says how many times as fast as native its choice is.
#include <cmath>
#include <optional>

#include "tuner/key_tuner.h"

namespace starling {
namespace {

// What is believed of a gain and what was measured contradict each other beyond so many deviations of the former.
constexpr double kMostApart = 2.0;

}  // namespace

// Where what is believed and what was measured contradict each other, as where the machine was busy when native was
// called, or has become slower since, the one that promises less is told.
std::optional<double> KeyTuner::gain() const {
  const bool is_native = plan_.incumbent.algorithm == kNativeAlgorithm;
  if (is_native) return plan_.state == KeyState::kSettled ? std::optional(1.0) : std::nullopt;
  if (const std::optional<KeyCosts::Ratio> inherited = inheritedGain()) return std::exp(inherited->logarithm);
  const std::optional<double> measured = measuredGain();
  const std::optional<KeyCosts::Ratio> believed = believedGain();
  if (!measured) return learned_ && isFree() ? learned_->gain : std::nullopt;
  const double logarithm = std::log(*measured);
  if (!believed || std::abs(logarithm - believed->logarithm) <= kMostApart * believed->deviation) return measured;
  return std::exp(std::abs(logarithm) < std::abs(believed->logarithm) ? logarithm : believed->logarithm);
}

// However well single calls agree, native was called long ago, and costs may have changed since. That is in what is
// believed, which follows what all algorithms have in common: how well that is known, and how far it is from what was
// measured.
std::optional<double> KeyTuner::gainError() const {
  if (plan_.incumbent.algorithm == kNativeAlgorithm) return std::nullopt;
  if (const std::optional<KeyCosts::Ratio> inherited = inheritedGain()) return *gain() * inherited->deviation;
  const std::optional<double> measured = measuredGain();
  const std::optional<double> native = choices_.errorOf(kNativeChoice);
  const std::optional<double> chosen = choices_.errorOf(plan_.incumbent);
  const std::optional<KeyCosts::Ratio> believed = believedGain();
  if (!measured || !native || !chosen) return std::nullopt;
  double error = std::hypot(*native / *choices_.medianOf(kNativeChoice), *chosen / *choices_.medianOf(plan_.incumbent));
  if (believed) {
    error = std::hypot(error, believed->deviation, std::log(*measured) - believed->logarithm);
  }
  return *gain() * error;
}

std::optional<double> KeyTuner::measuredGain() const {
  const std::optional<double> native = choices_.medianOf(kNativeChoice);
  const std::optional<double> chosen = choices_.medianOf(plan_.incumbent);
  // A coarse clock may say that calls take no time.
  if (!native || !chosen || *native <= 0.0 || *chosen <= 0.0) return std::nullopt;
  return *native / *chosen;
}

std::optional<KeyCosts::Ratio> KeyTuner::inheritedGain() const {
  const std::optional<std::size_t> arm = costs().find(plan_.incumbent);
  const bool learns_from_others = inherits_costs_ || account_->was_shared;
  if (!learns_from_others || !arm || costs().arms()[*arm].samples == 0) return std::nullopt;
  const bool is_measured = choices_.errorOf(kNativeChoice) && choices_.errorOf(plan_.incumbent);
  return is_measured ? std::nullopt : believedGain();
}

std::optional<KeyCosts::Ratio> KeyTuner::believedGain() const {
  const std::optional<std::size_t> arm = costs().find(plan_.incumbent);
  return costs().isRanked() && arm && isFree() ? std::optional(costs().nativeBeside(*arm)) : std::nullopt;
}

}  // namespace starling
