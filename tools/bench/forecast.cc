#include "forecast.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/virtual_ranks.h"

namespace starling::bench {
namespace {

struct PredictName {
  const char* text;
  Predict predict;
};

constexpr PredictName kPredictNames[] = {{"perfect", Predict::kPerfect},
                                         {"none", Predict::kNone},
                                         {"wrong", Predict::kWrong},
                                         {"learned", Predict::kLearned},
                                         {"announced", Predict::kAnnounced}};

}  // namespace

Result<Predict> parsePredict(std::string_view text) {
  for (const PredictName& name : kPredictNames) {
    if (text == name.text && name.predict != Predict::kAnnounced) return name.predict;
  }
  return Status::error(fmt::format("there is no prediction '{}': use perfect, none, wrong or learned", text));
}

const char* predictName(Predict predict) {
  return std::find_if(std::begin(kPredictNames), std::end(kPredictNames),
                      [predict](const PredictName& name) { return name.predict == predict; })
      ->text;
}

Forecast forecastOf(std::span<const Seconds> expected, Seconds noise) {
  Forecast forecast;
  forecast.table = sortedTable(expected, noise);
  const Seconds earliest = *std::min_element(expected.begin(), expected.end());
  for (const std::int32_t rank : forecast.table) {
    const Seconds lateness = expected[static_cast<std::size_t>(rank)] - earliest;
    forecast.lateness_ns.push_back(lateness > noise ? toNanoseconds(lateness) : 0);
  }
  return forecast;
}

Forecast inRankOrder(const Forecast& forecast) {
  Forecast ordered;
  ordered.table = identityTable(static_cast<std::int32_t>(forecast.table.size()));
  ordered.lateness_ns.resize(forecast.lateness_ns.size());
  for (std::size_t i = 0; i < forecast.lateness_ns.size(); ++i) {
    ordered.lateness_ns[static_cast<std::size_t>(forecast.table[i])] = forecast.lateness_ns[i];
  }
  return ordered;
}

std::vector<Seconds> misplaced(std::span<const Seconds> lateness) {
  std::vector<Seconds> other(lateness.begin(), lateness.end());
  // Where there are as many odd ranks as even ones the shift is odd, or an alternating pattern would stay what it is.
  const std::size_t half = (lateness.size() + 1) / 2;
  const auto shift = static_cast<std::ptrdiff_t>(lateness.size() % 2 == 0 ? half | 1 : half);
  std::rotate(other.begin(),
              other.begin() + shift % static_cast<std::ptrdiff_t>(std::max<std::size_t>(lateness.size(), 1)),
              other.end());
  return other;
}

}  // namespace starling::bench
