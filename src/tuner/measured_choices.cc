#include "tuner/measured_choices.h"

#include <algorithm>
#include <cmath>

#include "estimators/statistics.h"

namespace starling {
namespace {

constexpr double kSmallestGain = 0.03;    // share of the incumbent's time
constexpr double kIntolerableLoss = 2.0;  // times what native takes

// The smaller of two values is so many standard deviations below the mean of a normal distribution.
constexpr double kSmallerOfTwo = 0.56;

// Returns the median, or the smaller of two values, because the first call of a new plan may have opened connections.
double typicalOfTrials(std::span<const double> times) {
  return times.size() == 2 ? std::min(times[0], times[1]) : summarize(times).median;
}

void keepLatest(std::vector<double>& times, std::size_t most) {
  if (times.size() > most) times.erase(times.begin(), times.end() - static_cast<std::ptrdiff_t>(most));
}

void append(std::vector<double>& times, Seconds time) {
  times.push_back(time.value);
  keepLatest(times, MeasuredChoices::kKeptSamples);
}

}  // namespace

Comparison compareTimes(std::span<const double> incumbent, std::span<const double> challenger, double clock_error) {
  Comparison comparison;
  if (incumbent.empty() || challenger.empty()) return comparison;
  comparison.incumbent = summarize(incumbent).median;
  comparison.challenger = typicalOfTrials(challenger);
  const double scatter = robustDeviation(incumbent);
  const double standard_error =
      scatter * std::sqrt(1.0 / static_cast<double>(incumbent.size()) + 1.0 / static_cast<double>(challenger.size()));
  const double luck = challenger.size() == 2 ? kSmallerOfTwo * scatter : 0.0;
  comparison.margin =
      std::max({kSmallestGain * std::abs(comparison.incumbent), 2.0 * standard_error + luck, clock_error});
  comparison.faster = comparison.challenger < comparison.incumbent - comparison.margin;
  return comparison;
}

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

void MeasuredChoices::observe(const Choice& choice, const CallTimes& times, bool as_arranged_now) {
  ChoiceTimes& known = of(choice);
  ++known.samples;
  append(known.net, times.net);
  if (!as_arranged_now) return;
  append(known.compared, times.compared);
  append(known.errors, times.compared_error);
}

void MeasuredChoices::forgetFormerTimes(const Choice& choice) {
  keepLatest(choices_.front().net, kNativeSamples);
  keepLatest(choices_.front().compared, kNativeSamples);
  keepLatest(choices_.front().errors, kNativeSamples);
  of(choice).net.clear();
  forgetCompared(of(choice));
}

void MeasuredChoices::forgetCompared(ChoiceTimes& times) {
  times.compared.clear();
  times.errors.clear();
}

Comparison MeasuredChoices::compare(const ChoiceTimes& incumbent, const ChoiceTimes& challenger) {
  double clock_error = 0.0;
  for (const ChoiceTimes* times : {&incumbent, &challenger}) {
    for (const double error : times->errors) clock_error = std::max(clock_error, error);
  }
  return compareTimes(incumbent.compared, challenger.compared, clock_error);
}

std::optional<double> MeasuredChoices::medianOf(const Choice& choice) const {
  const ChoiceTimes* known = find(choice);
  if (known == nullptr || known->compared.empty()) return std::nullopt;
  return summarize(known->compared).median;
}

std::optional<Loss> MeasuredChoices::lossOf(const Choice& choice, std::size_t samples) const {
  const ChoiceTimes* known = find(choice);
  if (!isNativeKnown() || known == nullptr || known->net.size() < samples || samples == 0) return std::nullopt;
  const std::span<const double> latest = std::span(known->net).last(samples);
  const Loss loss{*std::min_element(latest.begin(), latest.end()), summarize(native().net).median};
  return loss.shortest > kIntolerableLoss * loss.native ? std::optional(loss) : std::nullopt;
}

std::optional<double> MeasuredChoices::intolerableTime() const {
  if (!isNativeKnown()) return std::nullopt;
  return kIntolerableLoss * summarize(native().net).median;
}

bool MeasuredChoices::nativeIsAsSlow(double net) const {
  return net <= kIntolerableLoss * summarize(std::span(native().net).last(kNativeSamples)).median;
}

}  // namespace starling
