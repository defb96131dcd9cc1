#include "tuner/tracked_arrivals.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace starling {
namespace {

constexpr std::int64_t kUsualCalls = 16;  // that means remember
constexpr double kAboutAsLate = 0.5;      // of the latest rank's lateness, at least
constexpr double kOften = 0.5;            // of the calls

// Returns how many of the ranks that are not named may have come as late as the least of those that are.
std::int64_t countAsLate(const ArrivalPattern& pattern) {
  const Seconds least = pattern.latest.back().lateness;
  const std::int64_t others = pattern.ranks - std::ssize(pattern.latest);
  if (others == 0 || least <= Seconds{}) return 0;
  return std::lround(static_cast<double>(others) * (pattern.others / least));
}

// Returns whether more ranks may have come about as late as the latest than are followed.
bool isCrowd(const ArrivalPattern& pattern) {
  const bool are_all_late = pattern.latest.back().lateness > kAboutAsLate * pattern.latest.front().lateness;
  return are_all_late && countAsLate(pattern) + std::ssize(pattern.latest) > TrackedArrivals::kTracked;
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

// Finds the row of a rank that was among the latest, which takes over what was known of it as one of the others.
TrackedArrivals::Row& TrackedArrivals::rowOf(std::int32_t rank) {
  if (!hasOthers()) return rows_[static_cast<std::size_t>(rank)];
  const auto others = rows_.end() - 1;
  auto row = std::find_if(rows_.begin(), others, [rank](const Row& one) { return one.rank == rank; });
  if (row != others) return *row;
  row = std::min_element(rows_.begin(), others, [](const Row& a, const Row& b) { return a.last_named < b.last_named; });
  *row = *others;
  row->rank = rank;
  row->last = 0;
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
    const bool is_recent = one.last_named >= 0 && one.last_named != call && one.last_named >= call - kUsualCalls;
    if (is_recent && one.rank != kOthers) named_before.push_back(row);
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
  for (const RankLateness& late : pattern.latest) rowOf(late.rank).last_named = call;
  if (pattern.latest.front().lateness > Seconds{}) ++rowOf(pattern.latest.front().rank).last;
  spreadOver(pattern);
  for (const RankLateness& late : pattern.latest) {
    lateness_[static_cast<std::size_t>(&rowOf(late.rank) - rows_.data())] = late.lateness;
  }
  predictor_.observe(lateness_);
  const double share = 1.0 / static_cast<double>(std::min(call + 1, kUsualCalls));
  crowds_ += share * ((isCrowd(pattern) ? 1.0 : 0.0) - crowds_);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    rows_[row].usual += share * (lateness_[row] - rows_[row].usual);
    rows_[row].seen.add(lateness_[row].value);
  }
}

std::vector<TrackedArrivals::Entry> TrackedArrivals::entries() const {
  const ArrivalPrediction prediction = predictor_.predict();
  std::vector<Entry> entries;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const bool is_unused = rows_[row].rank == kOthers && row + 1 < rows_.size();
    if (is_unused) continue;
    entries.push_back({rows_[row].rank, prediction.lateness[row], prediction.error[row], prediction.method[row],
                       rows_[row].usual, rows_[row].seen, rows_[row].last});
  }
  return entries;
}

std::int32_t TrackedArrivals::others() const {
  if (!hasOthers()) return 0;
  return ranks_ - static_cast<std::int32_t>(
                      std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.rank != kOthers; }));
}

bool TrackedArrivals::isCrowded() const { return crowds_ > kOften; }

void TrackedArrivals::restart() {
  for (Row& row : rows_) {
    row.seen = {};
    row.last = 0;
  }
}

void TrackedArrivals::forget() {
  predictor_ = ArrivalPredictor(static_cast<std::int32_t>(rows_.size()));
  for (Row& row : rows_) {
    row.last_named = -1;
    row.usual = {};
  }
  crowds_ = 0.0;
}

}  // namespace starling
