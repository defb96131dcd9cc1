#include "tuner/key_arrivals.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <utility>

#include "algos/flagged.h"
#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

constexpr double kPredictableError = 0.5;  // of the usual lateness: with a larger error the pattern counts as random
constexpr double kOrderlyNoise = 0.33;     // likewise, of what forecasts of all ranks are wrong by
constexpr std::size_t kManyRanks = 8;      // of fewer, one that moves makes most forecasts wrong for a while
constexpr std::int64_t kUsualCalls = 16;   // that the usual lateness remembers
constexpr double kRarely = 0.15;           // of a lateness, in the mean: ranks are so late in few calls
constexpr double kFar = 0.5;               // of a lateness: what is less is another one
constexpr double kBeyondCrowd = 1.5;       // of how late a crowd is: what is less may be its scatter
constexpr int kCallsOfOtherRank = 2;       // in a row show that the late rank is another one now
// So many calls in a row show that nobody is late any more, or that a rank is where nobody was.
constexpr int kCallsOtherwise = 3;
// So many plans later it is taken for how ranks come that none follows.
constexpr int kPlansToFollow = 2;
// Of two ranks that come last equally often one seldom seems to do so more often, by so many deviations.
constexpr double kFarMoreOften = 1.5;
constexpr std::int32_t kMostTimesLast = 256;  // that count
constexpr double kLatenessChange = 0.25;      // share of the largest lateness that one must move by for a new plan

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

// Returns how late a rank is as a rule, where the entry of ranks that are not followed one by one stands for `others`.
Seconds medianOf(std::vector<TrackedArrivals::Entry> entries, std::int32_t others) {
  const auto ranks_in = [others](const TrackedArrivals::Entry& entry) {
    return entry.rank == TrackedArrivals::kOthers ? others : 1;
  };
  std::ranges::sort(entries, {}, &TrackedArrivals::Entry::predicted);
  std::int32_t ranks = 0;
  for (const TrackedArrivals::Entry& entry : entries) ranks += ranks_in(entry);
  std::int32_t below = 0;
  for (const TrackedArrivals::Entry& entry : entries) {
    below += ranks_in(entry);
    if (2 * below >= ranks) return entry.predicted;
  }
  return {};
}

UnpredictedArrivals arrivalsIn(const ArrivalPattern& pattern) {
  UnpredictedArrivals arrivals{.latest = pattern.latest.front().lateness};
  const std::span<const RankLateness> named = std::span(pattern.latest).subspan(1);
  if (!named.empty()) arrivals.before = named.front().lateness;
  Seconds sum = static_cast<double>(pattern.ranks - std::ssize(pattern.latest)) * pattern.others;
  for (const RankLateness& one : named) sum += one.lateness;
  arrivals.others = (1.0 / std::max(pattern.ranks - 1, 1)) * sum;
  return arrivals;
}

// Returns the predicted latenesses by rank. Where not all are followed one by one nobody knows which of the others are
// late, and those that come no later than these, or than a crowd, count as they do: as on time.
std::vector<Seconds> predictedBy(const std::vector<TrackedArrivals::Entry>& entries, const TrackedArrivals& tracked,
                                 Seconds noise) {
  std::vector<Seconds> lateness(static_cast<std::size_t>(tracked.ranks()));
  const bool has_others = entries.back().rank == TrackedArrivals::kOthers;
  const Seconds floor = std::max(entries.back().predicted + noise, kBeyondCrowd * tracked.crowd());
  for (const TrackedArrivals::Entry& entry : entries) {
    if (entry.rank == TrackedArrivals::kOthers || (has_others && entry.predicted <= floor)) continue;
    lateness[static_cast<std::size_t>(entry.rank)] = entry.predicted;
  }
  return lateness;
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

void KeyArrivals::inherit(const KeyArrivals& other) {
  tracked_ = other.tracked_;
  tracked_.restart();
  usual_ = other.usual_;
  clock_error_ = other.clock_error_;
  times_last_ = other.times_last_;
}

// The scatter of ranks that are on time says nothing about their order, so it counts as noise.
Seconds KeyArrivals::noiseOf(const Entries& entries, Seconds latest) const {
  std::vector<Seconds> errors;
  for (const TrackedArrivals::Entry& entry : entries) errors.push_back(entry.error);
  if (tracked_.others() > static_cast<std::int32_t>(entries.size()))
    return std::max(noiseBeside(latest), errors.back());
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  return std::max(noiseBeside(latest), *middle);
}

void KeyArrivals::observe(const ArrivalPattern& pattern, Seconds clock_error) {
  if (!pattern.isKnown()) return;
  clock_error_ = clock_error;
  if (haveMoved(pattern)) {
    tracked_.forget();
    std::ranges::fill(times_last_, 0);
    plans_to_follow_ = kPlansToFollow;
  }
  tracked_.observe(pattern);
  const double share = 1.0 / static_cast<double>(std::min<std::int64_t>(tracked_.observations(), kUsualCalls));
  const UnpredictedArrivals now = arrivalsIn(pattern);
  latest_ = now.latest;
  timely_calls_ = isNoise(latest_) ? timely_calls_ + 1 : 0;
  countLast(pattern.latest.front().rank);
  usual_.latest += share * (now.latest - usual_.latest);
  usual_.before += share * (now.before - usual_.before);
  usual_.others += share * (now.others - usual_.others);
}

void KeyArrivals::countLast(std::int32_t rank) {
  const auto index = static_cast<std::size_t>(rank);
  if (isNoise(latest_) || index >= times_last_.size()) return;
  if (++times_last_[index] < kMostTimesLast) return;
  for (std::int32_t& times : times_last_) times /= 2;
}

// Forecasts take many calls to turn from one rank to another, and no call but these says anything of what comes. What
// was foreseen before the first of them counts, since they have spoiled the forecasts that came after it.
bool KeyArrivals::haveMoved(const ArrivalPattern& pattern) {
  const std::int32_t last = pattern.latest.front().rank;
  const auto rank_of = [last](Surprise surprise) { return surprise == Surprise::kNobodyLate ? kNobody : last; };
  Surprise surprise = surpriseIn(pattern);
  if (surprises_ > 0 && surprise == surprise_ && rank_of(surprise) == surprising_rank_) {
    ++surprises_;
  } else {
    foreseen_ = foresee(pattern);
    surprise = surpriseIn(pattern);
    surprises_ = surprise == Surprise::kNone ? 0 : 1;
  }
  surprise_ = surprise;
  surprising_rank_ = rank_of(surprise);
  if (surprises_ < (surprise == Surprise::kOtherRank ? kCallsOfOtherRank : kCallsOtherwise)) return false;
  surprises_ = 0;
  return true;
}

KeyArrivals::Standing KeyArrivals::standing() const {
  if (plans_to_follow_ > 0) return Standing::kMoved;
  return surprises_ > 0 ? Standing::kDoubtful : Standing::kForeseen;
}

KeyArrivals::Foreseen KeyArrivals::foresee(const ArrivalPattern& pattern) const {
  Foreseen foreseen;
  foreseen.usual = usual_.latest;
  if (tracked_.observations() == 0) {
    foreseen.usual = pattern.latest.front().lateness;
    return foreseen;
  }
  const Entries entries = tracked_.entries();
  if (!forecast(entries).is_predictable) return foreseen;
  const auto latest = std::ranges::max_element(entries, {}, &TrackedArrivals::Entry::predicted);
  const auto last = std::ranges::find(entries, pattern.latest.front().rank, &TrackedArrivals::Entry::rank);
  foreseen.rank = latest->rank;
  foreseen.lateness = latest->predicted;
  foreseen.lateness_of_last = last == entries.end() ? entries.back().predicted : last->predicted;
  return foreseen;
}

KeyArrivals::Surprise KeyArrivals::surpriseIn(const ArrivalPattern& pattern) const {
  const RankLateness& last = pattern.latest.front();
  if (foreseen_.lateness <= Seconds{}) {
    const bool is_new = !isNoise(last.lateness) && foreseen_.usual < kRarely * last.lateness;
    return is_new ? Surprise::kFirstRank : Surprise::kNone;
  }
  const auto now = std::ranges::find(pattern.latest, foreseen_.rank, &RankLateness::rank);
  const Seconds lateness = now == pattern.latest.end() ? pattern.others : now->lateness;
  if (std::max(lateness, clock_error_) >= kFar * foreseen_.lateness) return Surprise::kNone;
  if (last.lateness < kFar * foreseen_.lateness) return Surprise::kNobodyLate;
  return foreseen_.lateness_of_last < kFar * last.lateness ? Surprise::kOtherRank : Surprise::kNone;
}

UnpredictedArrivals KeyArrivals::usual() const { return isNoise(usual_.latest) ? UnpredictedArrivals{} : usual_; }

void KeyArrivals::expect(const ArrivalPattern& pattern, Seconds clock_error) {
  tracked_.forget();
  // With the second call the first one's forecast has been right.
  for (int call = 0; call < 2; ++call) observe(pattern, clock_error);
  tracked_.restart();
  surprises_ = timely_calls_ = plans_to_follow_ = 0;
}

// A rank that is late at random is forecast late just after it was. Its error is small beside that forecast, but not
// beside what it is late by as a rule. Where all are late at random one of them is forecast late, too, but not by much
// more than the others, beside what forecasts of all are wrong by.
KeyArrivals::Forecast KeyArrivals::forecast(const Entries& entries) const {
  const auto latest = std::ranges::max_element(entries, {}, &TrackedArrivals::Entry::predicted);
  const Seconds usual = std::min(latest->usual, latest->predicted) - medianOf(entries, tracked_.others());
  Forecast forecast;
  forecast.noise = std::max(noiseOf(entries, latest->predicted), clock_error_);
  forecast.is_late = latest->predicted > forecast.noise;
  const bool is_crowded = tracked_.crowd() > kFar * latest->predicted;
  forecast.is_orderly = !is_crowded && (forecast.noise < usual || entries.size() < kManyRanks);
  const bool is_random = latest->error >= kPredictableError * usual || forecast.noise >= kOrderlyNoise * usual;
  forecast.is_predictable = forecast.is_late && forecast.is_orderly && !is_random;
  return forecast;
}

KeyArrivals::Outlook KeyArrivals::outlook() const {
  if (tracked_.observations() == 0) return Outlook::kUnknown;
  if (forecast(tracked_.entries()).is_predictable) return Outlook::kPredictable;
  return usual().latest > Seconds{} ? Outlook::kUnpredictable : Outlook::kOnTime;
}

// Clocks that disagree by more than that do not show who is late.
bool KeyArrivals::areOnTimeAgain(const KeyPlan& plan) const {
  if (plan.placed.empty() || timely_calls_ < kCallsOtherwise || usual().latest > Seconds{}) return false;
  const std::int64_t latest_ns = std::ranges::max(plan.placed, {}, &PlacedRank::lateness_ns).lateness_ns;
  return clock_error_ < kFar * fromNanoseconds(latest_ns);
}

bool KeyArrivals::arrange(KeyPlan& plan, bool keeps_rank_order, TablePolicy policy) const {
  if (tracked_.observations() == 0) return false;
  const Entries entries = tracked_.entries();
  const Forecast forecast = this->forecast(entries);
  if (!forecast.is_late) return areOnTimeAgain(plan) && !std::exchange(plan.placed, {}).empty();
  // An order that was found in a few calls was none.
  if (!forecast.is_orderly) return plan.foreseesLateRank() && !std::exchange(plan.placed, {}).empty();
  if (!forecast.is_predictable) return false;
  const ExpandedPlacement before = expanded(plan.placed, tracked_.ranks());
  const std::vector<std::int32_t> old_table = before.table.empty() ? identityTable(tracked_.ranks()) : before.table;
  const std::vector<Seconds> lateness = predictedBy(entries, tracked_, forecast.noise);
  const std::vector<std::int32_t> table =
      keeps_rank_order ? old_table : nextTable(old_table, lateness, forecast.noise, policy);
  const std::vector<std::int64_t> lateness_ns = latenessOf(table, lateness, forecast.noise);
  if (table == old_table && !latenessMoved(before.lateness_ns, lateness_ns)) return false;
  std::vector<PlacedRank> placed = placementOf(keeps_rank_order ? std::span<const std::int32_t>{} : table, lateness_ns);
  if (placed == plan.placed) return false;
  plan.placed = std::move(placed);
  return true;
}

bool KeyArrivals::placeCoordinator(KeyPlan& plan) const {
  if (flaggedRanks(plan.incumbent, tracked_.ranks()) == 0) {
    return !plan.foreseesLateRank() && !std::exchange(plan.placed, {}).empty();
  }
  const auto is_placed = [&plan](std::int32_t rank) {
    return std::ranges::find(plan.placed, rank, &PlacedRank::rank) != plan.placed.end();
  };
  const auto first = std::ranges::find(plan.placed, 0, &PlacedRank::place);
  const bool has_first = first != plan.placed.end();
  std::int32_t coordinator = has_first ? first->rank : 0;
  while (!has_first && is_placed(coordinator)) ++coordinator;
  if (coordinator >= std::ssize(times_last_) ||
      (has_first ? first->lateness_ns > 0 : plan.placed.size() == kMostPlaced))
    return false;
  std::int32_t better = coordinator;
  for (std::int32_t rank = 0; rank < std::ssize(times_last_); ++rank) {
    if (!is_placed(rank) && timesLast(rank) < timesLast(better)) better = rank;
  }
  const double more = timesLast(coordinator) - timesLast(better);
  if (more <= kFarMoreOften * std::sqrt(timesLast(coordinator) + timesLast(better))) return false;
  if (has_first) plan.placed.erase(first);
  plan.placed.insert(plan.placed.begin(), {.rank = better, .place = 0, .lateness_ns = 0});
  return true;
}

const char* outlookName(KeyArrivals::Outlook outlook) {
  switch (outlook) {
    case KeyArrivals::Outlook::kUnknown:
      return "";
    case KeyArrivals::Outlook::kOnTime:
      return "on_time";
    case KeyArrivals::Outlook::kPredictable:
      return "predicted";
    case KeyArrivals::Outlook::kUnpredictable:
      return "unpredictable";
  }
  return "";
}

}  // namespace starling
