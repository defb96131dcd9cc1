#include "mpi/arrival_arrangement.h"

#include <algorithm>

namespace starling {

ArrivalArrangement::ArrivalArrangement(Channel& channel, const Clock& clock)
    : clock_(clock),
      ranks_(channel.ranks()),
      announcements_(channel.communicator(), channel.rank(), channel.ranks(), channel.ownTag(0)),
      flags_(channel.communicator(), channel.rank(), channel.ranks(), channel.ownTag(2)) {
  announced_.reserve(static_cast<std::size_t>(ranks_));
  flagged_.reserve(ranks_);
  for (Expanded& expanded : expanded_) expanded.placement.reserve(ranks_);
}

int ArrivalArrangement::announce(double fraction) {
  has_edges_ = true;
  if (fraction == 0.0) {
    computing_since_ = clock_.now();
    return MPI_SUCCESS;
  }
  has_announced_ = true;
  // The latest exit is known when that call was stamped, on all ranks alike; without it all are on time.
  const Seconds elapsed = computing_since_ ? clock_.now() - *computing_since_ : Seconds{};
  return announcements_.start(announcedComputation(elapsed, fraction));
}

int ArrivalArrangement::takeAnnouncements() {
  const int code = announcements_.take();
  if (code == MPI_SUCCESS) announced_.arrange(announcements_.latest());
  return code;
}

Arrangement ArrivalArrangement::announced(bool keeps_rank_order) const {
  Arrangement arrangement;
  arrangement.is_announced = true;
  if (!keeps_rank_order) arrangement.table = announced_.table();
  arrangement.lateness_ns = keeps_rank_order ? announced_.latenessByRankNs() : announced_.latenessNs();
  return arrangement;
}

Arrangement ArrivalArrangement::planned(std::int32_t key, std::int32_t plans, const KeyPlan& plan) {
  if (plan.placed.empty()) return {};
  auto known = std::ranges::find_if(
      expanded_, [&](const Expanded& expanded) { return expanded.key == key && expanded.plans == plans; });
  if (known == expanded_.end()) {
    known = expanded_.begin() + static_cast<std::ptrdiff_t>(next_expanded_++ % kExpanded);
    known->key = key;
    known->plans = plans;
    known->placement.expand(plan.placed, ranks_);
  }
  Arrangement arrangement;
  arrangement.table = known->placement.table;
  arrangement.lateness_ns = known->placement.lateness_ns;
  return arrangement;
}

int ArrivalArrangement::flag(std::int32_t late, bool keeps_rank_order, Arrangement& arrangement) {
  const int coordinator = arrangement.table.empty() ? 0 : arrangement.table.front();
  if (const int code = flags_.exchange(coordinator, late); code != MPI_SUCCESS) return code;
  flagged_.arrange(ranks_, arrangement.table, flags_.flagged(), keeps_rank_order);
  arrangement.is_flagged = true;
  arrangement.table = flagged_.table;
  arrangement.lateness_ns = flagged_.lateness_ns;
  return MPI_SUCCESS;
}

void ArrivalArrangement::endCall(const Arrangement& arrangement, int code, const std::optional<std::int64_t>& exit_ns) {
  // Everybody has arrived, and so have the flags that are still under way.
  if (arrangement.is_flagged && (code != MPI_SUCCESS || flags_.finish() != MPI_SUCCESS)) flags_.abandon();
  computing_since_.reset();
  if (exit_ns) computing_since_ = fromNanoseconds(*exit_ns);
}

bool ArrivalArrangement::finish(bool may_wait) {
  if (!may_wait && !announcements_.areComplete()) return false;
  static_cast<void>(announcements_.finish());
  return true;
}

void ArrivalArrangement::abandon() {
  announcements_.abandon();
  flags_.abandon();
}

}  // namespace starling
