#include "schedule/schedule_writer.h"

#include <algorithm>
#include <utility>

namespace starling {

namespace {

// Beside its value, a node of std::map has three pointers and the colour in all common libraries.
constexpr std::int64_t kNodeOverhead = 4 * sizeof(void*);

std::int64_t dependenciesFor(std::int64_t steps) { return 2 * steps; }

}  // namespace

std::int64_t ScheduleWriter::bytesFor(std::int64_t steps, std::int64_t side_slots) {
  return steps * std::int64_t{sizeof(Step)} + dependenciesFor(steps) * std::int64_t{sizeof(std::uint32_t)} +
         steps * std::int64_t{sizeof(Reader)} + intervalBytes(steps, side_slots);
}

// Most steps share their block with another one: a partial result comes and goes, and so does the result. Between what
// is used of two side slots there is an interval more.
std::int64_t ScheduleWriter::intervalBytes(std::int64_t steps, std::int64_t side_slots) {
  return (steps / 2 + side_slots + 3) * (kNodeOverhead + std::int64_t{sizeof(Intervals::value_type)});
}

ScheduleWriter::ScheduleWriter(const Seat& seat, std::int32_t tag_span, const WriterRoom& room)
    : schedule_(emptySchedule(seat, room.memory)),
      interval_memory_(static_cast<std::size_t>(intervalBytes(room.steps, room.side_slots)), room.memory),
      intervals_(&interval_memory_),
      readers_(room.memory) {
  schedule_.tag_span = tag_span;
  schedule_.steps.reserve(static_cast<std::size_t>(room.steps));
  schedule_.dependencies.reserve(static_cast<std::size_t>(dependenciesFor(room.steps)));
  readers_.reserve(static_cast<std::size_t>(room.steps));
  latest_ = intervals_.try_emplace(0, Interval{.end = seat.count}).first;
}

void ScheduleWriter::send(const Block& block, std::int32_t peer, std::int32_t tag, std::uint8_t lane) {
  append({.kind = StepKind::kSend, .lane = lane, .peer = peer, .tag = tag, .block = block});
}

void ScheduleWriter::receive(const Block& block, std::int32_t peer, std::int32_t tag, std::uint8_t lane,
                             std::int32_t slot) {
  append({.kind = StepKind::kReceive, .lane = lane, .peer = peer, .tag = tag, .slot = slot, .block = block});
}

void ScheduleWriter::reduce(const Block& block, std::int32_t peer, OperandOrder order, std::int32_t tag,
                            std::uint8_t lane) {
  append({.kind = StepKind::kReduce, .order = order, .lane = lane, .peer = peer, .tag = tag, .block = block});
}

void ScheduleWriter::combine(const Block& block, std::int32_t source, std::int32_t target, OperandOrder order) {
  append({.kind = StepKind::kCombine, .order = order, .slot = target, .source_slot = source, .block = block});
}

void ScheduleWriter::addSideSlots(std::int32_t slots, const Block& extent) {
  schedule_.side_slots = slots;
  schedule_.side_extent = extent;
  intervals_.begin()->second.end = (slots + 1) * schedule_.count;
}

Schedule ScheduleWriter::finish() && { return std::move(schedule_); }

Block ScheduleWriter::placeOf(const Block& block, std::int32_t slot) const {
  return {slot * schedule_.count + block.offset, block.count};
}

ScheduleWriter::Range ScheduleWriter::cutOut(const Block& place) {
  const std::int64_t end = place.offset + place.count;
  if (latest_->first != place.offset) latest_ = splitAt(place.offset);
  const auto next = std::next(latest_);
  if (latest_->second.end == end) return {latest_, next};
  return {latest_, latest_->second.end > end ? splitOff(latest_, end, next) : splitAt(end)};
}

// Returns the interval that begins at `offset`; where there is none yet, it is cut off from the one around it. Returns
// end() at the end of the last slot.
ScheduleWriter::Intervals::iterator ScheduleWriter::splitAt(std::int64_t offset) {
  // Most builders go from block to block, in the one direction or in the other.
  if (const auto next = std::next(latest_); next != intervals_.end() && next->first == offset) return next;
  if (latest_ != intervals_.begin() && std::prev(latest_)->first == offset) return std::prev(latest_);
  const auto after = intervals_.lower_bound(offset);
  if (after != intervals_.end() && after->first == offset) return after;
  const auto around = std::prev(after);
  return around->second.end == offset ? after : splitOff(around, offset, after);
}

// Cuts the interval off from `offset` on, before the one that follows it, and returns the part that is cut off.
ScheduleWriter::Intervals::iterator ScheduleWriter::splitOff(Intervals::iterator around, std::int64_t offset,
                                                             Intervals::iterator after) {
  const auto second_half = intervals_.emplace_hint(after, offset, around->second);
  second_half->second.latest_reader = copyReaders(around->second.latest_reader);
  around->second.end = offset;
  return second_half;
}

void ScheduleWriter::addReader(Interval& interval, std::uint32_t step) {
  const Reader reader{step, interval.latest_reader};
  if (free_reader_ == kNone) {
    interval.latest_reader = static_cast<std::uint32_t>(readers_.size());
    readers_.push_back(reader);
  } else {
    interval.latest_reader = free_reader_;
    free_reader_ = readers_[free_reader_].next;
    readers_[interval.latest_reader] = reader;
  }
}

std::uint32_t ScheduleWriter::copyReaders(std::uint32_t first) {
  Interval copy;
  for (std::uint32_t i = first; i != kNone; i = readers_[i].next) addReader(copy, readers_[i].step);
  return copy.latest_reader;
}

void ScheduleWriter::takeReaders(std::uint32_t first) {
  for (std::uint32_t i = first; i != kNone;) {
    schedule_.dependencies.push_back(readers_[i].step);
    const std::uint32_t next = std::exchange(readers_[i].next, free_reader_);
    free_reader_ = i;
    i = next;
  }
}

bool ScheduleWriter::isLatest(const Block& place) const {
  return latest_->first == place.offset && latest_->second.end == place.offset + place.count;
}

void ScheduleWriter::read(Interval& interval, std::uint32_t step) {
  if (interval.writer != kNone) schedule_.dependencies.push_back(interval.writer);
  addReader(interval, step);
}

void ScheduleWriter::noteRead(const Block& place, std::uint32_t step) {
  if (isLatest(place)) return read(latest_->second, step);
  const auto [first, last] = cutOut(place);
  for (auto it = first; it != last; ++it) read(it->second, step);
}

// Readers depend on the writer themselves, so waiting for them is enough.
void ScheduleWriter::waitFor(const Interval& interval) {
  if (interval.writer != kNone && interval.latest_reader == kNone) schedule_.dependencies.push_back(interval.writer);
  takeReaders(interval.latest_reader);
}

void ScheduleWriter::noteWrite(const Block& place, std::uint32_t step) {
  const Interval written{.end = place.offset + place.count, .writer = step};
  if (isLatest(place)) {
    waitFor(latest_->second);
    latest_->second = written;
    return;
  }
  const auto [first, last] = cutOut(place);
  for (auto it = first; it != last; ++it) waitFor(it->second);
  first->second = written;
  if (const auto next = std::next(first); next != last) intervals_.erase(next, last);
}

void ScheduleWriter::append(Step step) {
  if (step.block.count == 0) return;
  const auto index = static_cast<std::uint32_t>(schedule_.steps.size());
  std::pmr::vector<std::uint32_t>& dependencies = schedule_.dependencies;
  step.first_dependency = static_cast<std::uint32_t>(dependencies.size());
  if (step.kind == StepKind::kSend) {
    noteRead(placeOf(step.block, step.slot), index);
  } else {
    // A kCombine may use up the block that it reads.
    if (step.kind == StepKind::kCombine) noteWrite(placeOf(step.block, step.source_slot), index);
    noteWrite(placeOf(step.block, step.slot), index);
  }
  const auto own = dependencies.begin() + step.first_dependency;
  if (dependencies.end() - own > 1) {
    std::sort(own, dependencies.end());
    dependencies.erase(std::unique(own, dependencies.end()), dependencies.end());
  }
  step.dependency_count = static_cast<std::uint32_t>(dependencies.size()) - step.first_dependency;
  schedule_.steps.push_back(step);
}

}  // namespace starling
