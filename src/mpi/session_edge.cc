// The part of a session that deals with announced arrivals.
#include "mpi/session.h"

namespace starling {

void Session::announce(double fraction) {
  // Equal on all ranks: agreed options, and the count of calls.
  if (passesThrough() || services_.settings.options.mode != Mode::kTune || private_ == MPI_COMM_NULL) return;
  has_edges_ = true;
  if (fraction == 0.0) {
    computing_since_ = services_.clock->now();
    return;
  }
  // The latest exit is known of calls that were stamped, which all ranks find alike: without it all are on time.
  const Seconds elapsed = computing_since_ ? services_.clock->now() - *computing_since_ : Seconds{};
  const int code = announcements_->start(announcedComputation(elapsed, fraction));
  if (code != MPI_SUCCESS) breakDown(code);
}

void Session::takeAnnouncements() {
  if (const int code = announcements_->finish(); code != MPI_SUCCESS) return breakDown(code);
  announced_.arrange(announcements_->latest());
}

void Session::arrange(Execution& execution, const CallKind& kind, bool has_announced) const {
  const bool keeps_rank_order = keepsRankOrder(kind);
  if (has_announced) {
    execution.has_announced = true;
    if (!keeps_rank_order) execution.table = announced_.table();
    execution.lateness_ns = keeps_rank_order ? announced_.latenessByRankNs() : announced_.latenessNs();
  } else if (execution.key >= 0) {
    const KeyPlan& plan = keys_.entry(execution.key).plan;
    execution.table = plan.table;
    execution.lateness_ns = plan.lateness_ns;
  }
}

bool Session::keepsRankOrder(const CallKind& kind) const {
  return services_.settings.options.reproducible || !kind.signature.commutative;
}

int Session::nameLate(Execution& execution, const CallKind& kind) {
  const std::int32_t late = announcedRanks(execution.planned.choice, ranks_);
  if (late == 0 || execution.has_announced) return MPI_SUCCESS;
  const int coordinator = execution.table.empty() ? 0 : execution.table.front();
  if (const int code = flags_->exchange(coordinator, late); code != MPI_SUCCESS) return code;
  named_.arrange(ranks_, execution.table, flags_->named(), keepsRankOrder(kind));
  execution.has_named = true;
  execution.table = named_.table;
  execution.lateness_ns = named_.lateness_ns;
  return MPI_SUCCESS;
}

std::span<const std::int32_t> Session::tableOf(std::int32_t key) const {
  return key == announced_key_ ? announced_.table() : std::span<const std::int32_t>(keys_.entry(key).plan.table);
}

}  // namespace starling
