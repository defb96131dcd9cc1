#include "algos/schedule_bytes.h"

#include "base/reserve.h"
#include "schedule/prepared_schedule.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

// These are the vectors of a writer, a schedule, its queues and a run, the entry that keeps it, and vectors of a few
// elements that builders have; the rows count the nodes of a topology.
constexpr std::int64_t kAllocations = 64;
constexpr std::int64_t kBytesOfSmallOnes = 4096;

// A schedule is found by latenesses and a table.
constexpr std::int64_t kKeyBytesPerRank = sizeof(std::int64_t) + sizeof(std::int32_t);

}  // namespace

std::int64_t scheduleBytes(const Algorithm& algorithm, const Shape& shape, const ParameterValues& parameters) {
  if (algorithm.build == nullptr || shape.ranks < 2 || shape.count < 1) return bytesOfSteps(0);
  const std::int64_t steps = algorithm.max_steps(shape, parameters);
  const std::int64_t side_slots = algorithm.has_side_slots ? shape.ranks - 1 : 0;
  const std::int64_t work = algorithm.work_bytes == nullptr ? 0 : algorithm.work_bytes(shape, parameters);
  return bytesOfSteps(steps, side_slots) + work + shape.ranks * kKeyBytesPerRank;
}

std::int64_t bytesOfSteps(std::int64_t steps, std::int64_t side_slots) {
  const std::int64_t always = kAllocations * std::int64_t{Reserve::kOverhead} + kBytesOfSmallOnes;
  if (steps == 0) return always;
  return always + ScheduleWriter::bytesFor(steps, side_slots) + PreparedSchedule::bytesFor(steps, side_slots > 0);
}

}  // namespace starling
