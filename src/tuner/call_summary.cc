#include "tuner/call_summary.h"

#include <algorithm>
#include <limits>

namespace starling {
namespace {

// Sums of stamps that do not compare may be of any size; they mean nothing then, but must not be undefined.
std::int64_t wrappingSum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrappingProduct(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

constexpr std::int64_t kUs = 1000;
constexpr std::int64_t kHalfUs = kUs / 2;

template <typename Number>
std::uint32_t saturated(Number value) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(static_cast<std::int64_t>(value), 0, std::numeric_limits<std::uint32_t>::max()));
}

bool isLater(const CallSummary::Named& a, const CallSummary::Named& b) {
  return a.before_latest != b.before_latest ? a.before_latest < b.before_latest : a.rank < b.rank;
}

// Steps are counted from the last arrival of all to the last one of some: what is in this, counted from the latter, is
// counted from the former in the result.
CallSummary::Named counted(CallSummary::Named named, std::int64_t steps) {
  named.before_latest = saturated(wrappingSum(named.before_latest, steps));
  return named;
}

static_assert(CallSummary::kStepNs == 1 << 6);
// Stamps are cut to steps before they are subtracted, so that a difference does not depend on what it is taken from.
std::int64_t stepOf(std::int64_t stamp_ns) { return stamp_ns >> 6; }

}  // namespace

CallSummary::CallSummary(std::int32_t rank, std::int64_t arrival_ns, std::int64_t exit_ns, std::int64_t error_ns)
    : latest_ns_(arrival_ns),
      earliest_ns_(arrival_ns),
      elapsed_ns_(exit_ns - arrival_ns),
      shortest_ns_(elapsed_ns_),
      errors_ns_{saturated(error_ns), 0},
      ranks_(1) {
  named_[0].rank = rank;
}

void CallSummary::add(const CallSummary& other) {
  if (other.ranks_ == 0) return;
  if (ranks_ == 0) {
    *this = other;
    return;
  }
  const std::int64_t latest_ns = std::max(latest_ns_, other.latest_ns_);
  const auto waited_until = [latest_ns](const CallSummary& some) {
    return wrappingSum(some.waited_ns_, wrappingProduct(some.ranks_, wrappingSum(latest_ns, -some.latest_ns_)));
  };
  addNamed(other, latest_ns);
  waited_ns_ = wrappingSum(waited_until(*this), waited_until(other));
  latest_ns_ = latest_ns;
  earliest_ns_ = std::min(earliest_ns_, other.earliest_ns_);
  elapsed_ns_ = wrappingSum(elapsed_ns_, other.elapsed_ns_);
  others_us_ = saturated(std::int64_t{others_us_} + other.others_us_);
  shortest_ns_ = std::min(shortest_ns_, other.shortest_ns_);
  std::array<std::uint32_t, 4> errors{errors_ns_[0], errors_ns_[1], other.errors_ns_[0], other.errors_ns_[1]};
  std::sort(errors.rbegin(), errors.rend());
  errors_ns_ = {errors[0], errors[1]};
  ranks_ += other.ranks_;
}

void CallSummary::addNamed(const CallSummary& other, std::int64_t latest_ns) {
  std::array<Named, 2 * kNamed> all{};
  auto end = all.begin();
  for (const CallSummary* some : {static_cast<const CallSummary*>(this), &other}) {
    const std::int64_t steps = wrappingSum(stepOf(latest_ns), -stepOf(some->latest_ns_));
    end = std::transform(some->named().begin(), some->named().end(), end,
                         [steps](const Named& named) { return counted(named, steps); });
  }
  const auto kept = std::min<std::ptrdiff_t>(end - all.begin(), kNamed);
  std::partial_sort(all.begin(), all.begin() + kept, end, isLater);
  std::copy(all.begin(), all.begin() + kept, named_.begin());
}

void CallSummary::noteOthers(std::int64_t elapsed_ns) { others_us_ = saturated((elapsed_ns + kHalfUs) / kUs); }

std::optional<std::int64_t> CallSummary::othersNs() const {
  if (others_us_ == std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return std::int64_t{others_us_} * kUs;
}

}  // namespace starling
