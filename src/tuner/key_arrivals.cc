#include "tuner/key_arrivals.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

constexpr double kPredictableError = 0.5;  // of the usual lateness: with a larger error the pattern counts as random
constexpr std::int64_t kUsualCalls = 16;   // that the usual lateness remembers
constexpr double kLatenessChange = 0.25;   // share of the largest lateness that one must move by for a new plan

// Ranks that are about equally late would change places at every sorting, and each new table costs new schedules.
std::vector<std::int32_t> nextTable(const std::vector<std::int32_t>& table, std::span<const Seconds> lateness,
                                    Seconds noise, TablePolicy policy) {
  if (policy == TablePolicy::kSwap) return swappedTable(table, lateness, noise);
  return isSortedTable(table, lateness, noise) ? table : sortedTable(lateness, noise);
}

// Compares latenesses by virtual rank of the same table; where `before` is empty, all were on time.
bool latenessMoved(std::span<const std::int64_t> before, std::span<const std::int64_t> now) {
  std::int64_t latest = *std::max_element(now.begin(), now.end());
  if (!before.empty()) latest = std::max(latest, *std::max_element(before.begin(), before.end()));
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::int64_t moved = std::abs(now[i] - (before.empty() ? 0 : before[i]));
    if (static_cast<double>(moved) > kLatenessChange * static_cast<double>(latest)) return true;
  }
  return false;
}

// The scatter of ranks that are on time says nothing about their order, so it counts as noise.
Seconds noiseOf(std::vector<Seconds> errors, Seconds latest) {
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  return std::max(orderingNoise(latest), *middle);
}

std::vector<std::int64_t> latenessOf(std::span<const std::int32_t> table, std::span<const Seconds> lateness,
                                     Seconds noise) {
  std::vector<std::int64_t> lateness_ns;
  for (const std::int32_t rank : table) {
    const Seconds of_rank = lateness[static_cast<std::size_t>(rank)];
    lateness_ns.push_back(of_rank > noise ? toNanoseconds(of_rank) : 0);
  }
  return lateness_ns;
}

}  // namespace

KeyArrivals::KeyArrivals(std::int32_t ranks) : predictor_(ranks), usual_lateness_(static_cast<std::size_t>(ranks)) {}

void KeyArrivals::observe(std::span<const Seconds> lateness, Seconds clock_error) {
  if (lateness.empty()) return;
  clock_error_ = clock_error;
  predictor_.observe(lateness);
  const double share = 1.0 / static_cast<double>(std::min<std::int64_t>(predictor_.observations(), kUsualCalls));
  for (std::size_t rank = 0; rank < lateness.size(); ++rank) {
    usual_lateness_[rank] += share * (lateness[rank] - usual_lateness_[rank]);
  }
  usual_latest_ += share * (*std::max_element(lateness.begin(), lateness.end()) - usual_latest_);
}

Seconds KeyArrivals::usualLatest() const {
  return usual_latest_ <= std::max(orderingNoise(usual_latest_), clock_error_) ? Seconds{} : usual_latest_;
}

bool KeyArrivals::arrange(KeyPlan& plan, bool keeps_rank_order, TablePolicy policy) const {
  if (predictor_.observations() == 0) return false;
  const ArrivalPrediction prediction = predictor_.predict();
  const auto latest = std::max_element(prediction.lateness.begin(), prediction.lateness.end());
  const auto latest_rank = static_cast<std::size_t>(latest - prediction.lateness.begin());
  // A rank that is late at random is forecast late just after it was. Its error is small beside that forecast, but not
  // beside what it is late by as a rule.
  const Seconds usual = std::min(usual_lateness_[latest_rank], *latest);
  const Seconds noise = std::max(noiseOf(prediction.error, *latest), clock_error_);
  if (*latest <= noise || prediction.error[latest_rank] >= kPredictableError * usual) return false;
  const auto ranks = static_cast<std::int32_t>(usual_lateness_.size());
  const std::vector<std::int32_t> before = plan.table.empty() ? identityTable(ranks) : plan.table;
  std::vector<std::int32_t> table = keeps_rank_order ? before : nextTable(before, prediction.lateness, noise, policy);
  std::vector<std::int64_t> lateness_ns = latenessOf(table, prediction.lateness, noise);
  if (table == before && !latenessMoved(plan.lateness_ns, lateness_ns)) return false;
  if (!keeps_rank_order) plan.table = std::move(table);
  plan.lateness_ns = std::move(lateness_ns);
  return true;
}

}  // namespace starling
