// How a rank waits for others through shared memory.
#pragma once

#include <cstdint>
#include <limits>

#include "node/core_sharing.h"
#include "node/node_layout.h"

namespace starling {

// A rank that waits looks at a flag again and again; while it does so it drives the MPI library now and then, since a
// rank that it waits for may be waiting for messages from here. Where there are more ranks than cores it yields, and
// else where it may have the core that another rank needs, or sleeps (core_sharing.h). After a while it sleeps anyhow,
// for as long as a part of what it has waited, so that no core is kept busy for somebody who is seconds late.
// THREADS: one; each rank has its own.
class NodeWait {
 public:
  struct Settings {
    bool is_crowded = false;                          // there are more ranks than cores
    void (*progress)(const void* context) = nullptr;  // lets the MPI library work; null: nothing does
    const void* context = nullptr;
  };
  NodeWait(NodeSleepers& sleepers, const Settings& settings) : sleepers_(sleepers), settings_(settings) {}

  // Returns when the flag has this value or a greater one. What was written before it was raised can be read then.
  void until(const std::atomic<std::uint64_t>& flag, std::uint64_t value) {
    untilTrue([&] { return flag.load(std::memory_order_acquire) >= value; });
  }
  // Returns when `ready` returns true, which it does because of a flag that another rank raises, and again from then
  // on.
  template <typename Ready>
  void untilTrue(const Ready& ready) {
    if (!ready()) wait([](const void* context) { return (*static_cast<const Ready*>(context))(); }, &ready);
  }
  // Waits for some microseconds at most; returns whether the flag has the value.
  static bool briefly(const std::atomic<std::uint64_t>& flag, std::uint64_t value);

  // Raises a flag, so that what was written before can be read by those who see it, and wakes those who sleep.
  void raise(std::atomic<std::uint64_t>& flag, std::uint64_t value) {
    flag.store(value, std::memory_order_release);
    // This may miss a rank that is just going to sleep, which then sleeps until its time is over: a fence here would
    // cost each call more.
    if (sleepers_.count.load(std::memory_order_relaxed) != 0) wakeAll();
  }

 private:
  using Ready = bool (*)(const void* context);
  void wait(Ready ready, const void* context);
  void sleep(Ready ready, const void* context, std::int64_t nanoseconds);
  void progress(int times) const;
  void yield();
  void driveWhileBusy(Ready ready, const void* context);
  void wakeAll();

  NodeSleepers& sleepers_;
  const Settings settings_;
  CoreSharing sharing_;
  std::int64_t shortest_progress_ns_ = std::numeric_limits<std::int32_t>::max();  // of one call
};

}  // namespace starling
