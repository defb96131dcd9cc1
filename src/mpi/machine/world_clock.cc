#include "mpi/machine/world_clock.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace starling {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// Slots grow, so that the drift is soon known roughly, and later well.
constexpr std::int64_t kFirstSlot = 10 * kMillisecond;
constexpr std::int64_t kLongestSlot = 2560 * kMillisecond;
// Polling takes at most so much of all time, after a grant, and so much at once. A shorter time is not spent: nobody
// answers within it where processors are busy, and two ranks that save up meet at the begin of a slot.
constexpr std::int64_t kPollingShare = 1000;
constexpr std::int64_t kPollingGrant = 6 * kMillisecond;
constexpr std::int64_t kLongestPolling = 2 * kMillisecond;
constexpr std::int64_t kShortestPolling = kMillisecond;
// A clock that shows one time so often is a simulated one: no message comes until the rank waits.
constexpr int kMostAtOneTime = 1000;

// Returns the number of the slot at so long after the beginning: of 10, 20, 40, ... ms, and then all of the same
// length.
std::int64_t slotAt(std::int64_t elapsed_ns) {
  const std::int64_t elapsed = std::max<std::int64_t>(elapsed_ns, 0);
  const auto doublings = std::bit_width(static_cast<std::uint64_t>(std::min(elapsed, kLongestSlot) / kFirstSlot));
  return static_cast<std::int64_t>(doublings) + elapsed / kLongestSlot;
}

}  // namespace

WorldClock::Links::Links(MPI_Comm world, const ClockNeighbours& neighbours, const Clock& clock)
    : domain(world, neighbours.above, neighbours.below) {
  if (neighbours.teacher >= 0) student = std::make_unique<StudentLink>(world, neighbours.teacher, clock);
  for (const int rank : neighbours.students) teachers.emplace_back(world, rank, clock);
  taught_in.resize(teachers.size());
}

void WorldClock::open(MPI_Comm world, std::uint64_t own_identity) {
  int rank = 0;
  PMPI_Comm_rank(world, &rank);
  domains_ = gatherClockDomains(world, own_identity);
  const ClockNeighbours neighbours = neighboursOf(domains_, rank);
  leads_ = neighbours.leads();
  links_ = std::make_unique<Links>(world, neighbours, clock_);
  time_.began_ns = clock_.nanoseconds();  // what counts is that of the first machine, which the others are told
  synchronise();
}

void WorldClock::synchronise() {
  if (links_->student) {
    if (!links_->student->isAsking()) links_->student->begin();
    learn(*links_->student->advance(true), true);
  } else if (leads_) {
    adopt(time(), true);
  }
  if (const std::optional<WorldTime> told = links_->domain.receive(true)) adopt(*told, true);
  for (TeacherLink& teacher : links_->teachers) {
    while (!teacher.advance(true, time())) {
    }
  }
}

WorldTime WorldClock::time() const {
  const std::lock_guard lock(time_mutex_);
  return time_;
}

ClockModel WorldClock::model() const { return time().model; }

void WorldClock::adopt(const WorldTime& time, bool may_wait) {
  {
    const std::lock_guard lock(time_mutex_);
    time_ = time;
  }
  links_->domain.tell(time, may_wait);
}

void WorldClock::learn(const OffsetBounds& bounds, bool may_wait) {
  learned_in_ = slot_;
  if (fit_.add(bounds) || may_wait) adopt({fit_.model(), links_->student->beganNs()}, may_wait);
}

void WorldClock::advance() {
  if (const std::optional<WorldTime> told = links_->domain.receive(false)) adopt(*told, false);
  if (links_->student && links_->student->isAsking()) {
    if (const std::optional<OffsetBounds> bounds = links_->student->advance(false)) learn(*bounds, false);
  }
  for (std::size_t i = 0; i < links_->teachers.size(); ++i) {
    if (links_->teachers[i].advance(false, time())) links_->taught_in[i] = slot_;
  }
}

bool WorldClock::isUpToDate() const {
  return (!links_->student || learned_in_ == slot_) && std::all_of(links_->taught_in.begin(), links_->taught_in.end(),
                                                                   [this](std::int64_t slot) { return slot == slot_; });
}

void WorldClock::poll(std::int64_t longest_ns) {
  const std::int64_t begin = clock_.nanoseconds();
  std::int64_t now = begin;
  int times_seen = 0;
  while (!isUpToDate() && now - begin < longest_ns && times_seen < kMostAtOneTime) {
    advance();
    const std::int64_t before = std::exchange(now, clock_.nanoseconds());
    times_seen = now == before ? times_seen + 1 : 0;
  }
  polled_ns_ += now - begin;
}

void WorldClock::keepUp() {
  const std::unique_lock lock(upkeep_mutex_, std::try_to_lock);
  if (!lock || !isOpen()) return;
  advance();
  if (!leads_) return;
  const WorldTime known = time();
  const std::int64_t elapsed = known.model.toOther(clock_.nanoseconds()) - known.began_ns;
  slot_ = slotAt(elapsed);
  if (isUpToDate()) return;
  if (links_->student && learned_in_ != slot_ && !links_->student->isAsking()) links_->student->begin();
  const std::int64_t left = kPollingGrant + elapsed / kPollingShare - polled_ns_;
  if (left >= kShortestPolling) poll(std::min(kLongestPolling, left));
}

void WorldClock::finish() {
  if (!isOpen()) return;
  const std::lock_guard lock(upkeep_mutex_);
  if (links_->student) links_->student->finish();
  for (TeacherLink& teacher : links_->teachers) teacher.finish(time());
  links_->domain.finish();
  links_.reset();
}

}  // namespace starling
