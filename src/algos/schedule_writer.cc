#include "algos/schedule_writer.h"

#include <algorithm>
#include <utility>

namespace starling {

ScheduleWriter::ScheduleWriter(const BuildRequest& request, std::int32_t tag_span) {
  schedule_.ranks = request.shape.ranks;
  schedule_.virtual_rank = request.virtual_rank;
  schedule_.count = request.shape.count;
  schedule_.tag_span = tag_span;
  intervals_[0].end = request.shape.count;
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

// The interval that begins at `offset`, cut off from the one around it where there is none yet; end() at the end of the
// last slot.
ScheduleWriter::Intervals::iterator ScheduleWriter::splitAt(std::int64_t offset) {
  const auto after = intervals_.lower_bound(offset);
  if (after != intervals_.end() && after->first == offset) return after;
  const auto around = std::prev(after);
  if (around->second.end == offset) return after;
  const auto second_half = intervals_.emplace_hint(after, offset, around->second);
  around->second.end = offset;
  return second_half;
}

void ScheduleWriter::noteRead(const Block& place, std::uint32_t step) {
  const auto first = splitAt(place.offset);
  const auto last = splitAt(place.offset + place.count);
  for (auto it = first; it != last; ++it) {
    Interval& interval = it->second;
    if (interval.is_written) schedule_.dependencies.push_back(interval.writer);
    interval.readers.push_back(step);
  }
}

void ScheduleWriter::noteWrite(const Block& place, std::uint32_t step) {
  const std::int64_t end = place.offset + place.count;
  const auto first = splitAt(place.offset);
  const auto last = splitAt(end);
  for (auto it = first; it != last; ++it) {
    const Interval& interval = it->second;
    // Readers depend on the writer themselves, so waiting for them is enough.
    if (interval.is_written && interval.readers.empty()) schedule_.dependencies.push_back(interval.writer);
    schedule_.dependencies.insert(schedule_.dependencies.end(), interval.readers.begin(), interval.readers.end());
  }
  first->second = {.end = end, .is_written = true, .writer = step, .readers = {}};
  intervals_.erase(std::next(first), last);
}

void ScheduleWriter::append(Step step) {
  if (step.block.count == 0) return;
  const auto index = static_cast<std::uint32_t>(schedule_.steps.size());
  std::vector<std::uint32_t>& dependencies = schedule_.dependencies;
  step.first_dependency = static_cast<std::uint32_t>(dependencies.size());
  if (step.kind == StepKind::kSend) {
    noteRead(placeOf(step.block, step.slot), index);
  } else {
    // What is combined may be used up by it.
    if (step.kind == StepKind::kCombine) noteWrite(placeOf(step.block, step.source_slot), index);
    noteWrite(placeOf(step.block, step.slot), index);
  }
  const auto own = dependencies.begin() + step.first_dependency;
  std::sort(own, dependencies.end());
  dependencies.erase(std::unique(own, dependencies.end()), dependencies.end());
  step.dependency_count = static_cast<std::uint32_t>(dependencies.size()) - step.first_dependency;
  schedule_.steps.push_back(step);
}

}  // namespace starling
