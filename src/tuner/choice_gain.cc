#include "tuner/choice_gain.h"

#include <cmath>

namespace starling {
namespace {

// What is believed of a gain and what was measured contradict each other beyond so many deviations of the former.
constexpr double kMostApart = 2.0;

}  // namespace

ChoiceGain::ChoiceGain(const MeasuredChoices& measured, const Choice& choice, std::optional<KeyCosts::Ratio> believed,
                       bool is_inherited)
    : native_(measured.medianOf(kNativeChoice)),
      chosen_(measured.medianOf(choice)),
      native_error_(measured.errorOf(kNativeChoice)),
      chosen_error_(measured.errorOf(choice)),
      believed_(believed) {
  // A coarse clock may say that calls take no time.
  if (native_ && chosen_ && *native_ > 0.0 && *chosen_ > 0.0) measured_ = *native_ / *chosen_;
  if (is_inherited && !(native_error_ && chosen_error_)) inherited_ = believed_;
}

std::optional<double> ChoiceGain::ratio() const {
  if (inherited_) return std::exp(inherited_->logarithm);
  if (!measured_) return std::nullopt;
  const double logarithm = std::log(*measured_);
  if (!believed_ || std::abs(logarithm - believed_->logarithm) <= kMostApart * believed_->deviation) return measured_;
  return std::exp(std::abs(logarithm) < std::abs(believed_->logarithm) ? logarithm : believed_->logarithm);
}

// However well single calls agree, native was called long ago, and costs may have changed since. That is in what is
// believed, which follows what all algorithms have in common: how well that is known, and how far it is from what was
// measured.
std::optional<double> ChoiceGain::error() const {
  if (inherited_) return *ratio() * inherited_->deviation;
  if (!measured_ || !native_error_ || !chosen_error_) return std::nullopt;
  double error = std::hypot(*native_error_ / *native_, *chosen_error_ / *chosen_);
  if (believed_) error = std::hypot(error, believed_->deviation, std::log(*measured_) - believed_->logarithm);
  return *ratio() * error;
}

}  // namespace starling
