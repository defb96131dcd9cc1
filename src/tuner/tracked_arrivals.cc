#include "tuner/tracked_arrivals.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace starling {
namespace {

constexpr std::int64_t kUsualCalls = 16;  // that means remember
// Calls in which each of a group of ranks that come together is named, though each call names eight of them only: where
// it was not, it would count as one of the others.
constexpr std::int64_t kCallsOfGroup = 32;
constexpr double kAboutAsLate = 0.5;     // of the latest rank's lateness, at least
constexpr std::int64_t kLeastCalls = 2;  // one call may be late as a whole

// Returns how many of the ranks that are not named may have come as late as the least of those that are.
std::int64_t countAsLate(const ArrivalPattern& pattern) {
  const Seconds least = pattern.latest.back().lateness;
  const std::int64_t others = pattern.ranks - std::ssize(pattern.latest);
  if (others == 0 || least <= Seconds{}) return 0;
  return std::lround(static_cast<double>(others) * (pattern.others / least));
}

// Returns by how much a crowd may have been late in one of the first calls, in which no row had to give way yet: more
// ranks than can be followed may have come about as late as the latest.
Seconds crowdIn(const ArrivalPattern& pattern) {
  const Seconds least = pattern.latest.back().lateness;
  const bool are_all_late = least > kAboutAsLate * pattern.latest.front().lateness;
  const bool are_many = countAsLate(pattern) + std::ssize(pattern.latest) > TrackedArrivals::kTracked;
  return are_all_late && are_many ? least : Seconds{};
}

}  // namespace

TrackedArrivals::TrackedArrivals(std::int32_t ranks)
    : ranks_(ranks),
      rows_(static_cast<std::size_t>(std::min(ranks, kTracked + 1))),
      predictor_(static_cast<std::int32_t>(rows_.size())),
      lateness_(rows_.size()) {
  if (hasOthers()) return;
  for (std::int32_t rank = 0; rank < ranks; ++rank) rows_[static_cast<std::size_t>(rank)].rank = rank;
}

TrackedArrivals::Row* TrackedArrivals::findRow(std::int32_t rank) {
  const auto end = hasOthers() ? rows_.end() - 1 : rows_.end();
  const auto row = std::find_if(rows_.begin(), end, [rank](const Row& one) { return one.rank == rank; });
  return row == end ? nullptr : &*row;
}

// Returns the row of a rank that is among the latest; a new one takes over what was known of it as one of the others.
// `crowd` is told how late it and the rank that gives way to it were, at least, where both were named lately.
TrackedArrivals::Row& TrackedArrivals::rowOf(const RankLateness& late, Seconds& crowd) {
  if (Row* const known = findRow(late.rank)) return *known;
  const auto others = rows_.end() - 1;
  const auto row =
      std::min_element(rows_.begin(), others, [](const Row& a, const Row& b) { return a.last_named < b.last_named; });
  if (isRecent(row->last_named)) crowd = std::max(crowd, std::min(row->named, late.lateness));
  *row = *others;
  row->rank = late.rank;
  row->last = 0;
  row->waited = {};
  predictor_.copyRank(static_cast<std::int32_t>(rows_.size()) - 1, static_cast<std::int32_t>(row - rows_.begin()));
  return *row;
}

// Gives every row what is known of the ranks that are not among the latest.
void TrackedArrivals::spreadOver(const ArrivalPattern& pattern) {
  std::fill(lateness_.begin(), lateness_.end(), pattern.others);
  const Seconds least = pattern.latest.back().lateness;
  const auto others = pattern.ranks - static_cast<std::int32_t>(pattern.latest.size());
  const std::int64_t as_late = countAsLate(pattern);
  if (as_late == 0) return;
  const std::int64_t call = predictor_.observations();
  std::vector<std::size_t> named_before;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const Row& one = rows_[row];
    if (isRecent(one.last_named) && one.last_named != call && one.rank != kOthers) named_before.push_back(row);
  }
  std::sort(named_before.begin(), named_before.end(),
            [this](std::size_t a, std::size_t b) { return rows_[a].usual > rows_[b].usual; });
  const std::size_t late = std::min(static_cast<std::size_t>(as_late), named_before.size());
  if (late == 0) return;
  const Seconds rest = static_cast<double>(others) * pattern.others - static_cast<double>(late) * least;
  const std::int32_t on_time = others - static_cast<std::int32_t>(late);
  const Seconds mean{on_time > 0 ? std::max(rest.value, 0.0) / on_time : 0.0};
  std::fill(lateness_.begin(), lateness_.end(), mean);
  for (std::size_t i = 0; i < late; ++i) lateness_[named_before[i]] = least;
}

void TrackedArrivals::observe(const ArrivalPattern& pattern) {
  const std::int64_t call = predictor_.observations();
  Seconds crowd;
  for (const RankLateness& late : pattern.latest) {
    Row& row = rowOf(late, crowd);
    row.last_named = call;
    row.named = late.lateness;
  }
  if (call < kUsualCalls) crowd = std::max(crowd, crowdIn(pattern));
  if (pattern.latest.front().lateness > Seconds{}) ++findRow(pattern.latest.front().rank)->last;
  spreadOver(pattern);
  for (const RankLateness& late : pattern.latest) {
    lateness_[static_cast<std::size_t>(findRow(late.rank) - rows_.data())] = late.lateness;
  }
  predictor_.observe(lateness_);
  const double share = 1.0 / static_cast<double>(std::min(call + 1, kUsualCalls));
  crowd_ += share * (crowd - crowd_);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    rows_[row].usual += share * (lateness_[row] - rows_[row].usual);
    rows_[row].seen.add(lateness_[row].value);
  }
}

void TrackedArrivals::noteWaitedFor(std::int32_t rank, Seconds waited) {
  if (Row* const row = findRow(rank)) row->waited += waited;
}

std::vector<TrackedArrivals::Entry> TrackedArrivals::entries() const {
  const ArrivalPrediction prediction = predictor_.predict();
  std::vector<Entry> entries;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const bool is_unused = rows_[row].rank == kOthers && row + 1 < rows_.size();
    if (is_unused) continue;
    entries.push_back({rows_[row].rank, prediction.lateness[row], prediction.error[row], prediction.method[row],
                       rows_[row].usual, rows_[row].seen, rows_[row].last, rows_[row].waited});
  }
  return entries;
}

std::int32_t TrackedArrivals::others() const {
  if (!hasOthers()) return 0;
  return ranks_ - static_cast<std::int32_t>(
                      std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.rank != kOthers; }));
}

bool TrackedArrivals::isRecent(std::int64_t call) const {
  return call >= 0 && call >= predictor_.observations() - (hasOthers() ? kCallsOfGroup : kUsualCalls);
}

Seconds TrackedArrivals::crowd() const {
  return hasOthers() && predictor_.observations() >= kLeastCalls ? crowd_ : Seconds{};
}

void TrackedArrivals::restart() {
  for (Row& row : rows_) {
    row.seen = {};
    row.last = 0;
    row.waited = {};
  }
}

void TrackedArrivals::forget() {
  predictor_ = ArrivalPredictor(static_cast<std::int32_t>(rows_.size()));
  for (Row& row : rows_) {
    row.last_named = -1;
    row.usual = {};
  }
  crowd_ = {};
}

}  // namespace starling
