#include "mpi/execution/plan_memory.h"

#include <algorithm>
#include <new>

#include "algos/schedule_bytes.h"
#include "base/address_space.h"
#include "mpi/execution/call_kind.h"
#include "simulator/simulated_choice.h"

namespace starling {
namespace {

std::int64_t scratchBytesOf(const Choice& choice, const Shape& shape, std::size_t element_bytes) {
  return scratchElements(*findAlgorithm(choice.algorithm), shape) * static_cast<std::int64_t>(element_bytes);
}

}  // namespace

bool PlanMemory::mayTake(std::size_t bytes) {
  const bool is_enough = leavesAddressSpace(bytes);
  if (!is_enough) is_short_ = true;
  return is_enough;
}

bool PlanMemory::isScarce() {
  const bool was_used = reserve_.wasUsed();
  is_short_ = is_short_ || was_used;
  return was_used || (is_short_ && !leavesAddressSpace(0));
}

Shape PlanMemory::shapeOf(const Signature& signature) const {
  return {channel_.ranks(), signature.count, signature.commutative, topology_};
}

// Asking what rows need takes memory for the nodes of a topology, on which nothing depends here: what cannot be asked
// is not reserved.
void PlanMemory::reserveFor(const Signature& signature) {
  Signature largest = signature;
  largest.element_size = std::max<std::int64_t>(signature.element_size, 1);
  largest.count = std::max<std::int64_t>((std::int64_t{1} << sizeClass(signature.bytes())) / largest.element_size, 1);
  try {
    reserveScratch(largest);
    reserveSchedules(largest);
  } catch (const std::bad_alloc&) {
    is_short_ = true;
  }
}

// What is for all rows is too much for long vectors, of which most rows need one.
void PlanMemory::reserveScratch(const Signature& signature) {
  const std::int64_t element = signature.element_size * static_cast<std::int64_t>(largestElementGrowth(signature.type));
  for (const std::int64_t elements : {mostScratchElements(shapeOf(signature)), signature.count}) {
    if (elements > AgreedMemory::kMax / element) continue;
    if (scratch_.reserveFor(elements * element) >= elements * element) return;
  }
}

// The parameters are those that a plan is likely to have.
void PlanMemory::reserveSchedules(const Signature& signature) {
  const Shape shape = shapeOf(signature);
  std::int64_t most = 0;
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.build == nullptr || !isValid(algorithm, shape)) continue;
    Choice choice{algorithm.id, defaultParameters(algorithm)};
    setBestSegments(choice, shape, Bytes{signature.element_size}, model_);
    const std::int64_t bytes = scheduleBytes(algorithm, shape, choice.parameters);
    if (bytes <= kMostScheduleBytes) most = std::max(most, bytes);
  }
  schedules_.reserveFor(most);
}

void PlanMemory::reserveFor(const KeyPlan& plan, const Signature& signature) {
  const Shape shape = shapeOf(signature);
  const auto reserve = [&](const Choice& choice) {
    const Algorithm& algorithm = *findAlgorithm(choice.algorithm);
    if (algorithm.build == nullptr || !isValid(algorithm, shape)) return;
    const std::int64_t bytes = scheduleBytes(algorithm, shape, choice.parameters);
    if (bytes <= AgreedMemory::kMax) schedules_.reserveFor(bytes);
  };
  try {
    reserve(plan.incumbent);
    for (const Choice& trial : plan.trials) reserve(trial);
  } catch (const std::bad_alloc&) {
    is_short_ = true;
  }
  const auto is_node = [](const Choice& choice) { return choice.algorithm == kNodeAlgorithm; };
  const bool needs_buffers = is_node(plan.incumbent) || std::ranges::any_of(plan.trials, is_node);
  if (node_ != nullptr && needs_buffers && !is_short_) node_->populate(signature.bytes());
}

void PlanMemory::reserveForIncumbent(const KeyPlan& plan, const Signature& signature) {
  const Shape shape = shapeOf(signature);
  if (!isValid(*findAlgorithm(plan.incumbent.algorithm), shape)) return;
  const std::size_t element = static_cast<std::size_t>(signature.element_size) * largestElementGrowth(signature.type);
  const std::int64_t bytes = scratchBytesOf(plan.incumbent, shape, element);
  if (bytes > 0 && bytes <= AgreedMemory::kMax) scratch_.reserveFor(bytes);
  reserveFor(plan, signature);
}

void PlanMemory::agree(std::int64_t scratch, std::int64_t schedules) {
  scratch_.agree(scratch);
  schedules_.agree(schedules);
}

bool PlanMemory::has(const Choice& choice, const Shape& shape, std::size_t element_bytes) {
  return scratch_.has(scratchBytesOf(choice, shape, element_bytes)) && schedules_.has(scheduleBytesOf(choice, shape));
}

bool PlanMemory::ensure(const Choice& choice, const Shape& shape, std::size_t element_bytes) {
  return channel_.ensureMemory(scratchBytesOf(choice, shape, element_bytes), scratch_) &&
         channel_.ensureMemory(scheduleBytesOf(choice, shape), schedules_);
}

std::int64_t PlanMemory::scheduleBytesOf(const Choice& choice, const Shape& shape) {
  for (const Need& need : needs_) {
    if (need.count == shape.count && need.choice == choice) return need.bytes;
  }
  Need& need = needs_[next_need_++ % needs_.size()];
  need = {choice, shape.count, scheduleBytes(*findAlgorithm(choice.algorithm), shape, choice.parameters)};
  return need.bytes;
}

}  // namespace starling
