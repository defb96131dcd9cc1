#include "schedule/hazards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "schedule/step_graph.h"

namespace starling {
namespace {

// Walks the steps in program order, which every chain of dependencies follows. It is enough to compare a step with the
// accesses since (and with) the last write of an interval: earlier ones are ordered through that write.
class HazardCheck {
 public:
  explicit HazardCheck(const Schedule& schedule) : schedule_(schedule), visited_by_(schedule.steps.size(), 0) {
    Block former{-1, 0};
    for (const Step& step : schedule.steps) {
      for (const Block& place : placesOf(step)) {
        // Steps often touch what the one before did, and sorting takes longer than all else here.
        if (place == former) continue;
        former = place;
        borders_.push_back(place.offset);
        borders_.push_back(place.offset + place.count);
      }
    }
    std::sort(borders_.begin(), borders_.end());
    borders_.erase(std::unique(borders_.begin(), borders_.end()), borders_.end());
    intervals_.resize(borders_.size());
  }

  Status run() {
    for (std::size_t index = 0; index < schedule_.steps.size(); ++index) {
      const Step& step = schedule_.steps[index];
      const Places places = placesOf(step);
      Status ordered = Status::ok();
      if (step.kind != StepKind::kSend) ordered = note(places[0], index, &HazardCheck::noteWrite);
      if (ordered.isOk() && step.kind == StepKind::kSend) ordered = note(places[0], index, &HazardCheck::noteRead);
      if (ordered.isOk() && step.kind == StepKind::kCombine) ordered = note(places[1], index, &HazardCheck::noteWrite);
      if (!ordered.isOk()) return ordered;
    }
    return Status::ok();
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Interval {
    std::size_t writer = kNone;
    std::vector<std::size_t> readers;  // since `writer`
  };

  // These are the blocks that a step touches: its block in its slot and, if it is a kCombine, in the slot that it
  // reads; other steps name the first block twice. Element i of slot s counts as s * count + i.
  using Places = std::array<Block, 2>;
  Places placesOf(const Step& step) const {
    const std::int32_t second = step.kind == StepKind::kCombine ? step.source_slot : step.slot;
    return {{{step.slot * schedule_.count + step.block.offset, step.block.count},
             {second * schedule_.count + step.block.offset, step.block.count}}};
  }

  Status note(const Block& place, std::size_t step, Status (HazardCheck::*access)(std::size_t, std::size_t)) {
    const std::size_t end = intervalAt(place.offset + place.count);
    for (std::size_t i = intervalAt(place.offset); i < end; ++i) {
      const Status ordered = (this->*access)(i, step);
      if (!ordered.isOk()) return ordered;
    }
    return Status::ok();
  }

  std::size_t intervalAt(std::int64_t offset) const {
    return static_cast<std::size_t>(std::lower_bound(borders_.begin(), borders_.end(), offset) - borders_.begin());
  }

  Status noteRead(std::size_t interval, std::size_t step) {
    intervals_[interval].readers.push_back(step);
    return requireOrder(intervals_[interval].writer, step, interval);
  }

  Status noteWrite(std::size_t i, std::size_t step) {
    Interval& interval = intervals_[i];
    for (const std::size_t reader : interval.readers) {
      const Status ordered = requireOrder(reader, step, i);
      if (!ordered.isOk()) return ordered;
    }
    const std::size_t last_writer = std::exchange(interval.writer, step);
    const bool is_read_since = !interval.readers.empty();
    interval.readers.clear();
    return is_read_since ? Status::ok() : requireOrder(last_writer, step, i);
  }

  Status requireOrder(std::size_t before, std::size_t after, std::size_t interval) {
    if (before == kNone || waitsFor(after, before)) return Status::ok();
    const std::int64_t slot = borders_[interval] / schedule_.count;
    return Status::error(fmt::format(
        "{} and {} both touch elements [{}, {}) of slot {} and neither waits for the other.",
        describeStep(schedule_, before), describeStep(schedule_, after), borders_[interval] - slot * schedule_.count,
        borders_[interval + 1] - slot * schedule_.count, slot));
  }

  bool waitsFor(std::size_t after, std::size_t before) {
    ++search_;
    std::vector<std::size_t> open{after};
    while (!open.empty()) {
      const Step& step = schedule_.steps[open.back()];
      open.pop_back();
      for (const std::uint32_t dependency : schedule_.dependenciesOf(step)) {
        if (dependency == before) return true;
        if (dependency < before || visited_by_[dependency] == search_) continue;
        visited_by_[dependency] = search_;
        open.push_back(dependency);
      }
    }
    return false;
  }

  const Schedule& schedule_;
  std::vector<std::int64_t> borders_;
  std::vector<Interval> intervals_;      // interval i is [borders_[i], borders_[i + 1])
  std::vector<std::size_t> visited_by_;  // by step: the last search that came by
  std::size_t search_ = 0;
};

}  // namespace

Status checkHazards(const Schedule& schedule) { return HazardCheck(schedule).run(); }

}  // namespace starling
