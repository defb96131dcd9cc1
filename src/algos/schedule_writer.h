// Writes one rank's schedule: builders say what moves, the writer works out what waits for what.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "algos/catalogue.h"
#include "algos/schedule.h"

namespace starling {

// Steps are given in program order. For every interval of the work vector the writer remembers the last step that wrote
// it and the sends that read it since; a new step depends on those it would otherwise race with (read after write,
// write after read, write after write). No builder can therefore make a data hazard.
//
// Side slots are told apart from the work vector in the same way; a step says which slot it means where it is not 0.
// Blocks of zero elements are dropped. Sender and receiver are told the same block, so both drop it.
// Time and memory: linear in the steps, times the logarithm of the intervals that are told apart.
class ScheduleWriter {
 public:
  // REQUIRES: `tag_span` is equal on all ranks and above every tag.
  ScheduleWriter(const BuildRequest& request, std::int32_t tag_span);

  void send(const Block& block, std::int32_t peer, std::int32_t tag, std::uint8_t lane = 0);
  void receive(const Block& block, std::int32_t peer, std::int32_t tag, std::uint8_t lane = 0, std::int32_t slot = 0);
  void reduce(const Block& block, std::int32_t peer, OperandOrder order, std::int32_t tag, std::uint8_t lane = 0);

  // Combines the block of side slot or work vector `source` into that of `target`.
  void combine(const Block& block, std::int32_t source, std::int32_t target, OperandOrder order);

  // REQUIRES: before any step. `extent` lies in the work vector.
  void addSideSlots(std::int32_t slots, const Block& extent);

  // Receives of this lane that may be in flight, whatever the window.
  void setLaneWindow(std::uint8_t lane, std::int32_t window) { schedule_.lane_windows[lane] = window; }

  // Sends of this lane that may be in flight, whatever the pacing.
  void setLanePacing(std::uint8_t lane, std::int32_t pacing) { schedule_.lane_pacings[lane] = pacing; }

  // As Schedule::synchronous.
  void keepInStep(std::uint8_t lane) { schedule_.synchronous[lane] = true; }

  Schedule finish() &&;

 private:
  struct Interval {
    std::int64_t end = 0;
    bool is_written = false;  // else it still holds this rank's input
    std::uint32_t writer = 0;
    std::vector<std::uint32_t> readers;  // since `writer`
  };
  // By first element, where element i of slot s counts as s * count + i; they cover the work vector and the slots.
  using Intervals = std::map<std::int64_t, Interval>;

  Intervals::iterator splitAt(std::int64_t offset);
  Block placeOf(const Block& block, std::int32_t slot) const;
  void noteRead(const Block& place, std::uint32_t step);
  void noteWrite(const Block& place, std::uint32_t step);
  void append(Step step);

  Schedule schedule_;
  Intervals intervals_;
};

}  // namespace starling
