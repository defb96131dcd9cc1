// Writes one rank's schedule: builders say what moves, the writer works out what waits for what.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <utility>
#include <vector>

#include "schedule/schedule.h"

namespace starling {

// Tells where a writer takes its memory, and for how many steps it does so at once: an upper bound, so that nothing has
// to grow.
struct WriterRoom {
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();
  std::int64_t steps = 0;       // more grow as vectors do
  std::int64_t side_slots = 0;  // as for addSideSlots()
};

// Steps are given in program order. For every interval of the work vector the writer remembers the last step that wrote
// it and the sends that read it since; a new step depends on those it would otherwise race with (read after write,
// write after read, write after write). No builder can therefore make a data hazard.
//
// Side slots are told apart from the work vector in the same way; a step says which slot it means where it is not 0.
// Blocks of zero elements are dropped. Sender and receiver are told the same block, so both drop it.
// Time and memory: linear in the steps, times the logarithm of the intervals that are told apart.
// THREADS: one.
class ScheduleWriter {
 public:
  // REQUIRES: `tag_span` is equal on all ranks and above every tag.
  ScheduleWriter(const Seat& seat, std::int32_t tag_span, const WriterRoom& room = {});

  // Returns how many bytes a writer with room for so much takes, the schedule included.
  static std::int64_t bytesFor(std::int64_t steps, std::int64_t side_slots);

  void send(const Block& block, std::int32_t peer, std::int32_t tag, std::uint8_t lane = 0);
  void receive(const Block& block, std::int32_t peer, std::int32_t tag, std::uint8_t lane = 0, std::int32_t slot = 0);
  void reduce(const Block& block, std::int32_t peer, OperandOrder order, std::int32_t tag, std::uint8_t lane = 0);

  // Combines the block of side slot or work vector `source` into that of `target`.
  void combine(const Block& block, std::int32_t source, std::int32_t target, OperandOrder order);

  // Gives the rank side slots, each with the elements of `extent`. REQUIRES: no step was written yet; `extent` lies in
  // the work vector.
  void addSideSlots(std::int32_t slots, const Block& extent);

  // Sets how many receives of this lane may be in flight, whatever the window.
  void setLaneWindow(std::uint8_t lane, std::int32_t window) { schedule_.lane_windows[lane] = window; }

  // Sets how many sends of this lane may be in flight, whatever the pacing.
  void setLanePacing(std::uint8_t lane, std::int32_t pacing) { schedule_.lane_pacings[lane] = pacing; }

  // Makes the lane Schedule::synchronous.
  void keepInStep(std::uint8_t lane) { schedule_.synchronous[lane] = true; }

  // Leaves room for so many blocks of Schedule::shares; adds one.
  void reserveShares(std::int64_t shares) { schedule_.shares.reserve(static_cast<std::size_t>(shares)); }
  void addShare(std::int32_t owner, const Block& block) { schedule_.shares.push_back({owner, block}); }
  void setShareChunk(std::int64_t elements) { schedule_.share_chunk = elements; }

  Schedule finish() &&;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Interval {
    std::int64_t end = 0;
    std::uint32_t writer = kNone;         // none: it still holds this rank's input
    std::uint32_t latest_reader = kNone;  // of those since `writer`: into readers_
  };
  struct Reader {
    std::uint32_t step = 0;
    std::uint32_t next = kNone;  // into readers_
  };
  // Keys are first elements, where element i of slot s counts as s * count + i; the intervals cover the work vector and
  // the slots.
  using Intervals = std::pmr::map<std::int64_t, Interval>;

  static std::int64_t intervalBytes(std::int64_t steps, std::int64_t side_slots);

  // The intervals from the first one up to the last one make up a place.
  using Range = std::pair<Intervals::iterator, Intervals::iterator>;
  Range cutOut(const Block& place);
  Intervals::iterator splitAt(std::int64_t offset);
  Intervals::iterator splitOff(Intervals::iterator around, std::int64_t offset, Intervals::iterator after);
  Block placeOf(const Block& block, std::int32_t slot) const;
  bool isLatest(const Block& place) const;  // latest_ is just this place
  void read(Interval& interval, std::uint32_t step);
  void waitFor(const Interval& interval);
  void noteRead(const Block& place, std::uint32_t step);
  void noteWrite(const Block& place, std::uint32_t step);
  void append(Step step);
  void addReader(Interval& interval, std::uint32_t step);
  std::uint32_t copyReaders(std::uint32_t first);
  // Appends the readers to the dependencies, and frees their places.
  void takeReaders(std::uint32_t first);

  Schedule schedule_;
  std::pmr::monotonic_buffer_resource interval_memory_;
  Intervals intervals_;
  Intervals::iterator latest_;  // of the place that was used last; mostly the next step has the same one
  std::pmr::vector<Reader> readers_;
  std::uint32_t free_reader_ = kNone;
};

}  // namespace starling
