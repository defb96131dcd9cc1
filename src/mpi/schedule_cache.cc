#include "mpi/schedule_cache.h"

#include <algorithm>

namespace starling {
namespace {

std::int32_t virtualRankOf(std::int32_t rank, std::span<const std::int32_t> table) {
  if (table.empty()) return rank;
  return static_cast<std::int32_t>(std::find(table.begin(), table.end(), rank) - table.begin());
}

}  // namespace

const PreparedSchedule& ScheduleCache::find(const Query& query, std::int32_t rank) {
  ++uses_;
  const Algorithm& algorithm = *findAlgorithm(query.choice.algorithm);
  BuildRequest request;
  request.shape = query.shape;
  request.virtual_rank = virtualRankOf(rank, query.table);
  request.parameters = query.choice.parameters;
  request.lateness_ns = heeded(algorithm, query.lateness_ns);
  const bool is_placed = algorithm.gains_from != nullptr;
  const std::span<const std::int32_t> table = is_placed ? query.table : std::span<const std::int32_t>();
  for (Entry& entry : entries_) {
    if (entry.count == query.shape.count && entry.virtual_rank == request.virtual_rank &&
        entry.choice == query.choice && entry.commutative == query.shape.commutative &&
        std::ranges::equal(entry.lateness_ns, request.lateness_ns) && std::ranges::equal(entry.table, table)) {
      entry.last_use = uses_;
      return entry.prepared;
    }
  }
  if (entries_.size() == kMostEntries) {
    entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                    [](const Entry& a, const Entry& b) { return a.last_use < b.last_use; }));
  }
  Topology by_virtual_rank;
  if (is_placed && query.shape.topology != nullptr) {
    by_virtual_rank = arranged(*query.shape.topology, table);
    request.shape.topology = &by_virtual_rank;
  }
  entries_.push_back({query.choice,
                      query.shape.count,
                      query.shape.commutative,
                      request.virtual_rank,
                      {request.lateness_ns.begin(), request.lateness_ns.end()},
                      {table.begin(), table.end()},
                      uses_,
                      PreparedSchedule(buildSchedule(algorithm, request))});
  return entries_.back().prepared;
}

}  // namespace starling
