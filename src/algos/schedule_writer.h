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
// Blocks of zero elements are dropped. Sender and receiver are told the same block, so both drop it.
// Time and memory: linear in the steps, times the logarithm of the intervals that are told apart.
class ScheduleWriter {
 public:
  // REQUIRES: `tag_span` is equal on all ranks and above every tag.
  ScheduleWriter(const BuildRequest& request, std::int32_t tag_span);

  void send(const Block& block, std::int32_t peer, std::int32_t tag, std::uint8_t lane = 0);
  void receive(const Block& block, std::int32_t peer, std::int32_t tag, std::uint8_t lane = 0);
  void reduce(const Block& block, std::int32_t peer, OperandOrder order, std::int32_t tag, std::uint8_t lane = 0);

  Schedule finish() &&;

 private:
  struct Interval {
    std::int64_t end = 0;
    bool is_written = false;  // else it still holds this rank's input
    std::uint32_t writer = 0;
    std::vector<std::uint32_t> readers;  // since `writer`
  };
  using Intervals = std::map<std::int64_t, Interval>;  // by first element; they cover the work vector

  Intervals::iterator splitAt(std::int64_t offset);
  void noteRead(const Block& block, std::uint32_t step);
  void noteWrite(const Block& block, std::uint32_t step);
  void append(Step step);

  Schedule schedule_;
  Intervals intervals_;
};

}  // namespace starling
