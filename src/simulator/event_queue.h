// What happens next in a simulated call.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <vector>

#include "schedule/step_graph.h"

namespace starling {

enum class EventKind : std::uint8_t { kArrival, kPortsFree, kShared, kDeparted, kDelivered, kCombined };

struct Event {
  double time;
  EventKind kind;
  // This is the rank of a kArrival, the kSend step of a kPortsFree, kDeparted or kDelivered, the transfer that may have
  // left of a kShared, and the kReduce step of a kCombined.
  StepId subject;

  // Tells events of one time apart, in the order in which a heap gives them.
  std::uint64_t place() const { return (std::uint64_t{static_cast<std::uint8_t>(kind)} << 32) | subject; }
  bool operator>(const Event& other) const { return time != other.time ? time > other.time : place() > other.place(); }
};

// Holds events by time. Those that come a fixed time after what brings them about wait in lines, of which there is one
// for each such time: they come in order, and need no heap, which is what a simulation would else spend most of its
// time on. THREADS: not thread-safe.
class EventQueue {
 public:
  static constexpr std::size_t kLines = 6;  // fewer than an unsigned has bits

  explicit EventQueue(std::pmr::memory_resource* memory)
      : heap_(memory), lines_{Line(memory), Line(memory), Line(memory), Line(memory), Line(memory), Line(memory)} {
    next_times_.fill(HUGE_VAL);
  }

  void push(const Event& event) {
    if (event.time == handled_) is_again_ = true;
    heap_.push_back(event);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  // REQUIRES: no event of this line is later.
  void push(std::size_t line, const Event& event) {
    if (event.time == handled_) is_again_ = true;
    lines_[line].events.push_back(event);
    next_times_[line] = std::min(next_times_[line], event.time);
    filled_ |= 1U << line;
  }

  // Returns when the next event is; infinity: there is none.
  double nextTime() const {
    double time = heap_.empty() ? HUGE_VAL : heap_.front().time;
    for (unsigned lines = filled_; lines != 0; lines &= lines - 1) time = std::min(time, next_times_[firstOf(lines)]);
    return time;
  }

  // Has `action` handle all events of that time, those included that are added for it meanwhile. REQUIRES: none is
  // earlier, and there is one.
  template <typename Action>
  void handle(double time, const Action& action) {
    handled_ = time;
    do {
      is_again_ = false;
      while (!heap_.empty() && heap_.front().time == time) {
        const Event event = heap_.front();
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
        heap_.pop_back();
        action(event);
      }
      for (unsigned lines = filled_; lines != 0;) {
        const std::size_t line = firstOf(lines);
        while (next_times_[line] == time) action(take(line));
        lines = filled_ & (~0U << (line + 1));
      }
    } while (is_again_);
  }

 private:
  struct Line {
    explicit Line(std::pmr::memory_resource* memory) : events(memory) {}

    std::pmr::vector<Event> events;
    std::size_t next = 0;
  };

  static std::size_t firstOf(unsigned lines) { return static_cast<std::size_t>(std::countr_zero(lines)); }

  Event take(std::size_t index) {
    Line& line = lines_[index];
    const Event event = line.events[line.next++];
    if (line.next == line.events.size()) {
      line.events.clear();
      line.next = 0;
      filled_ &= ~(1U << index);
      next_times_[index] = HUGE_VAL;
    } else {
      next_times_[index] = line.events[line.next].time;
    }
    return event;
  }

  std::pmr::vector<Event> heap_;
  std::array<Line, kLines> lines_;
  std::array<double, kLines> next_times_{};  // by line; infinity: it has none
  unsigned filled_ = 0;                      // a bit for each line that has one
  double handled_ = -HUGE_VAL;               // the time whose events were handled last,
  bool is_again_ = false;                    // and whether one was added for it since its heap was looked at
};

}  // namespace starling
