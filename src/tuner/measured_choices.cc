#include "tuner/measured_choices.h"

#include <algorithm>
#include <cmath>

#include "estimators/statistics.h"
#include "tuner/agreement_steps.h"

namespace starling {
namespace {

template <typename Time>
void keepLatest(std::vector<Time>& times, std::size_t most) {
  if (times.size() > most) times.erase(times.begin(), times.end() - static_cast<std::ptrdiff_t>(most));
}

template <typename Time>
void append(std::vector<Time>& times, const Time& time) {
  times.push_back(time);
  keepLatest(times, MeasuredChoices::kKeptSamples);
}

// The standard error of the median of normally distributed samples is so many times that of their mean.
constexpr double kMedianError = 1.2533;
constexpr std::size_t kLeastToScatter = 3;

// An error of a time makes no difference where it is at most so many times the least one, or such a share of the time.
constexpr double kErrorsAlike = 2.0;
constexpr double kSmallError = 0.1;

}  // namespace

MeasuredChoices::MeasuredChoices() { choices_.emplace_back(); }

ChoiceTimes& MeasuredChoices::of(const Choice& choice) {
  if (choice == native().choice) return choices_.front();
  const auto others = choices_.begin() + 1;
  const auto found = std::find_if(others, choices_.end(), [&](const ChoiceTimes& one) { return one.choice == choice; });
  if (found != choices_.end()) {
    std::rotate(found, found + 1, choices_.end());
    return choices_.back();
  }
  if (choices_.size() == kMaxChoices) choices_.erase(others);
  return choices_.emplace_back(ChoiceTimes{.choice = choice});
}

const ChoiceTimes* MeasuredChoices::find(const Choice& choice) const {
  const auto found =
      std::find_if(choices_.begin(), choices_.end(), [&](const ChoiceTimes& one) { return one.choice == choice; });
  return found == choices_.end() ? nullptr : &*found;
}

void MeasuredChoices::observe(const Choice& choice, const CallTimes& times, bool compares) {
  ChoiceTimes& known = of(choice);
  ++known.samples;
  append(known.net, {times.net, times.compared_error, times.disturbance});
  const bool is_disturbed = times.disturbance > Seconds{} && times.net < kDisturbedCall;
  known.latest_compares = compares && !is_disturbed;
  if (known.latest_compares) append(known.compared, times.compared.value);
}

void MeasuredChoices::forgetArrangement() {
  for (ChoiceTimes& times : std::span(choices_).subspan(1)) times.compared.clear();
}

void MeasuredChoices::forgetFormerCost(const Choice& choice) {
  ChoiceTimes& known = of(choice);
  keepLatest(known.compared, known.latest_compares ? 1 : 0);
}

std::optional<Seconds> MeasuredChoices::usualNet(const Choice& choice) const {
  const ChoiceTimes* const known = find(choice);
  if (known == nullptr || known->net.empty()) return std::nullopt;
  const auto error_of = [](const ChoiceTimes::Net& one) { return (one.error + one.disturbance).value; };
  const double least = error_of(*std::ranges::min_element(known->net, {}, error_of));
  const Seconds shortest = std::ranges::min_element(known->net, {}, &ChoiceTimes::Net::time)->time;
  const double most = std::max(kErrorsAlike * least, kSmallError * shortest.value);
  std::vector<double> times;
  for (const ChoiceTimes::Net& one : known->net) {
    if (error_of(one) <= most) times.push_back(one.time.value);
  }
  return Seconds{summarize(times).median};
}

std::optional<double> MeasuredChoices::medianOf(const Choice& choice) const {
  const ChoiceTimes* known = find(choice);
  if (known == nullptr || known->compared.empty()) return std::nullopt;
  return summarize(known->compared).median;
}

std::optional<double> MeasuredChoices::errorOf(const Choice& choice) const {
  const ChoiceTimes* known = find(choice);
  if (known == nullptr || known->compared.size() < kLeastToScatter) return std::nullopt;
  return kMedianError * robustDeviation(known->compared) / std::sqrt(static_cast<double>(known->compared.size()));
}

}  // namespace starling
