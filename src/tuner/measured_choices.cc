#include "tuner/measured_choices.h"

#include <algorithm>
#include <cmath>

#include "estimators/statistics.h"

namespace starling {
namespace {

void keepLatest(std::vector<double>& times, std::size_t most) {
  if (times.size() > most) times.erase(times.begin(), times.end() - static_cast<std::ptrdiff_t>(most));
}

void append(std::vector<double>& times, Seconds time) {
  times.push_back(time.value);
  keepLatest(times, MeasuredChoices::kKeptSamples);
}

// The standard error of the median of normally distributed samples is so many times that of their mean.
constexpr double kMedianError = 1.2533;
constexpr std::size_t kLeastToScatter = 3;

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
  append(known.net, times.net);
  append(known.errors, times.netError());
  if (compares) append(known.compared, times.compared);
}

void MeasuredChoices::forgetArrangement() {
  for (ChoiceTimes& times : std::span(choices_).subspan(1)) times.compared.clear();
}

void MeasuredChoices::forgetFormerCost(const Choice& choice) { keepLatest(of(choice).compared, 1); }

std::optional<Seconds> MeasuredChoices::usualNative() const {
  if (native().net.empty()) return std::nullopt;
  const double least = *std::ranges::min_element(native().errors);
  std::vector<double> times;
  for (std::size_t i = 0; i < native().net.size(); ++i) {
    if (native().errors[i] <= least) times.push_back(native().net[i]);
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
