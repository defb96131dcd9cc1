#include "mpi/execution/plan_schedules.h"

#include <algorithm>

namespace starling {
namespace {

std::int32_t virtualRankOf(std::int32_t rank, std::span<const std::int32_t> table) {
  if (table.empty()) return rank;
  return static_cast<std::int32_t>(std::find(table.begin(), table.end(), rank) - table.begin());
}

}  // namespace

PlanSchedules::Key::Key(const Sought& sought, std::pmr::memory_resource* memory)
    : choice(sought.choice),
      count(sought.count),
      commutative(sought.commutative),
      virtual_rank(sought.virtual_rank),
      nodes_share_memory(sought.nodes_share_memory),
      lateness_ns(sought.lateness_ns.begin(), sought.lateness_ns.end(), memory),
      table(sought.table.begin(), sought.table.end(), memory) {}

// Tables and latenesses of one place in the table seldom differ, so they are left out.
std::size_t PlanSchedules::Sought::hash() const {
  std::size_t hash = hashOf({choice.algorithm, count, commutative ? 1 : 0, virtual_rank});
  for (const std::int64_t value : choice.parameters) hash = mixHash(hash, static_cast<std::uint64_t>(value));
  return hash;
}

bool PlanSchedules::Sought::operator==(const Key& key) const {
  return count == key.count && virtual_rank == key.virtual_rank && choice == key.choice &&
         commutative == key.commutative && nodes_share_memory == key.nodes_share_memory &&
         std::ranges::equal(lateness_ns, key.lateness_ns) && std::ranges::equal(table, key.table);
}

const PreparedSchedule& PlanSchedules::find(const Query& query, std::int32_t rank) {
  const Algorithm& algorithm = *findAlgorithm(query.choice.algorithm);
  const bool is_placed = algorithm.suits_topology != nullptr;
  BuildRequest request;
  request.shape = query.shape;
  request.shape.table = is_placed ? query.table : std::span<const std::int32_t>();
  request.virtual_rank = virtualRankOf(rank, query.table);
  request.parameters = query.choice.parameters;
  request.lateness_ns = relevantLateness(algorithm, query.lateness_ns);
  request.nodes_share_memory = query.nodes_share_memory;
  const Sought sought{query.choice,         query.shape.count,        query.shape.commutative,
                      request.virtual_rank, query.nodes_share_memory, request.lateness_ns,
                      request.shape.table};
  const auto build = [&](std::pmr::memory_resource* memory) {
    request.memory = memory;
    return buildSchedule(algorithm, request);
  };
  return schedules_.find(sought, build, query.bytes);
}

}  // namespace starling
