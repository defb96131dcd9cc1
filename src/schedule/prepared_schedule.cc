#include "schedule/prepared_schedule.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace starling {
namespace {

constexpr std::int64_t kMaxWindow = 64;  // of all rows; also the largest pacing
constexpr std::int64_t kMaxFlights = 2 * kMaxLanes * kMaxWindow;

std::size_t atMost(std::int32_t in_flight, std::size_t steps) {
  return std::min(static_cast<std::size_t>(in_flight), steps);
}

}  // namespace

PreparedSchedule::PreparedSchedule(Schedule schedule)
    : schedule_(std::move(schedule)),
      queues_{Queue(schedule_.steps.get_allocator().resource()), Queue(schedule_.steps.get_allocator().resource()),
              Queue(schedule_.steps.get_allocator().resource()), Queue(schedule_.steps.get_allocator().resource())},
      first_dependent_(schedule_.steps.get_allocator()),
      dependents_(schedule_.steps.get_allocator()),
      independent_combines_(schedule_.steps.get_allocator()) {
  largest_reduction_ = starling::largestReduction(schedule_);
  landings_ = largest_reduction_ == 0 ? 0 : reducesInFlight(schedule_, schedule_.window);
  fillQueues();
  linkDependents();
}

std::int64_t PreparedSchedule::runBytes() const {
  return std::ssize(schedule_.steps) * kRunBytesPerStep + static_cast<std::int64_t>(max_flights_) * kRunBytesPerFlight +
         static_cast<std::int64_t>(combines_) * kRunBytesPerCombine + landings_ * kRunBytesPerLanding;
}

std::int64_t PreparedSchedule::bytes() const {
  std::size_t numbers = schedule_.dependencies.capacity() + first_dependent_.capacity() + dependents_.capacity() +
                        independent_combines_.capacity();
  for (const Queue& queue : queues_) numbers += queue.sends.capacity() + queue.receives.capacity();
  return static_cast<std::int64_t>(schedule_.steps.capacity() * sizeof(Step) + numbers * sizeof(std::uint32_t) +
                                   schedule_.shares.capacity() * sizeof(OwnedBlock));
}

std::int64_t PreparedSchedule::bytesFor(std::int64_t steps, bool has_side_slots) {
  // A step takes a place in a queue, the number of its first dependent, and as many dependents as the writer has room
  // for.
  constexpr std::int64_t kNumbersPerStep = 4;
  // Only what has side slots combines them; a step that does is not in flight.
  static_assert(kRunBytesPerCombine <= kRunBytesPerFlight);
  const std::int64_t flights = has_side_slots ? steps : std::min(steps, kMaxFlights);
  return steps * (kNumbersPerStep * std::int64_t{sizeof(std::uint32_t)} + kRunBytesPerStep) +
         flights * kRunBytesPerFlight + kMaxWindow * kRunBytesPerLanding;
}

void PreparedSchedule::fillQueues() {
  struct Counts {
    std::size_t sends = 0;
    std::size_t receives = 0;
  };
  std::array<Counts, kMaxLanes> counts;
  std::size_t independent = 0;
  for (const Step& step : schedule_.steps) {
    if (isMessage(step)) {
      ++(step.kind == StepKind::kSend ? counts[step.lane].sends : counts[step.lane].receives);
    } else {
      ++combines_;
      if (step.dependency_count == 0) ++independent;
    }
  }
  independent_combines_.reserve(independent);
  for (std::size_t lane = 0; lane < counts.size(); ++lane) {
    queues_[lane].sends.reserve(counts[lane].sends);
    queues_[lane].receives.reserve(counts[lane].receives);
    max_flights_ += atMost(pacingOf(schedule_, lane), counts[lane].sends);
    max_flights_ += atMost(windowOf(schedule_, lane), counts[lane].receives);
  }
  for (std::uint32_t i = 0; i < schedule_.steps.size(); ++i) {
    const Step& step = schedule_.steps[i];
    if (isMessage(step)) {
      Queue& queue = queues_[step.lane];
      (step.kind == StepKind::kSend ? queue.sends : queue.receives).push_back(i);
    } else if (step.dependency_count == 0) {
      independent_combines_.push_back(i);
    }
  }
}

void PreparedSchedule::linkDependents() {
  const std::pmr::vector<Step>& steps = schedule_.steps;
  first_dependent_.assign(steps.size() + 1, 0);
  for (const std::uint32_t dependency : schedule_.dependencies) ++first_dependent_[dependency];
  std::partial_sum(first_dependent_.begin(), first_dependent_.end(), first_dependent_.begin());
  dependents_.resize(schedule_.dependencies.size());
  // Each entry starts as the end of its step's dependents. They are put in place from the last one on, and then the
  // entry is their begin.
  for (auto i = static_cast<std::uint32_t>(steps.size()); i-- > 0;) {
    for (const std::uint32_t dependency : schedule_.dependenciesOf(steps[i])) {
      dependents_[--first_dependent_[dependency]] = i;
    }
  }
}

}  // namespace starling
