#include "node/node_wait.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

namespace starling {
namespace {

// Returns for how long this thread has had a core.
std::chrono::nanoseconds usedCore() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Works for so long, not counting the time in which others have the core.
void useCore(std::chrono::nanoseconds time) {
  for (const auto end = usedCore() + time; usedCore() < end;) continue;
}

// Returns when somebody has gone to sleep so often.
void awaitSleeps(const NodeSleepers& sleepers, int times) {
  for (int i = 0; i < times; ++i) {
    while (sleepers.count.load() == 0) std::this_thread::yield();
    while (i + 1 < times && sleepers.count.load() != 0) std::this_thread::yield();
  }
}

TEST(NodeWait, sleepsAndDrivesTheMpiLibraryWhileARankIsLongLate) {
  NodeSleepers sleepers;
  NodeFlag flag;
  std::atomic<int> driven{0};
  NodeWait::Settings settings;
  settings.progress = [](const void* context) { ++*static_cast<std::atomic<int>*>(const_cast<void*>(context)); };
  settings.context = &driven;
  settings.is_crowded = true;
  std::thread late([&] {
    NodeWait wait(sleepers, {});
    awaitSleeps(sleepers, 1);
    wait.raise(flag.value, 3);
  });
  NodeWait wait(sleepers, settings);
  wait.until(flag.value, 3);
  late.join();
  EXPECT_GE(flag.value.load(), 3u);
  EXPECT_GT(driven, 0);
  EXPECT_EQ(sleepers.count, 0u);
}

// A call that yields takes long, as others have the core meanwhile: that is no sign that there was something to do.
// Else the rank would never sleep again, and this test not end.
TEST(NodeWait, sleepsAgainWhereCallsIntoTheMpiLibraryYield) {
  static constexpr int kQuickCalls = 700;  // more than go before the first sleep: 15 us each
  NodeSleepers sleepers;
  NodeFlag flag;
  std::atomic<int> calls{0};
  NodeWait::Settings settings;
  settings.is_crowded = true;
  settings.progress = [](const void* context) {
    const int call = ++*static_cast<std::atomic<int>*>(const_cast<void*>(context));
    useCore(std::chrono::microseconds(15));
    if (call > kQuickCalls) std::this_thread::sleep_for(std::chrono::microseconds(200));
  };
  settings.context = &calls;
  std::thread late([&] {
    NodeWait wait(sleepers, {});
    while (calls <= kQuickCalls) std::this_thread::yield();
    awaitSleeps(sleepers, 20);
    wait.raise(flag.value, 1);
  });
  NodeWait wait(sleepers, settings);
  wait.until(flag.value, 1);
  late.join();
  EXPECT_GT(calls, kQuickCalls);
}

// Lets the calling thread, and those that it makes, run on one processor alone, until the end of the scope.
class OneProcessor {
 public:
  OneProcessor() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &here);
    sched_setaffinity(0, sizeof here, &here);
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_{};
};

// Nobody is late for so long that a rank would sleep that has its core for itself: it would look for the flag for half
// of 50 ms, the other half of which the other thread has.
TEST(NodeWait, sleepsSoonWhereAProcessKeepsItsCore) {
  NodeSleepers sleepers;
  NodeFlag flag;
  std::atomic<bool> is_over{false};
  std::atomic<bool> is_running{false};
  std::thread late([&] {
    NodeWait wait(sleepers, {});
    awaitSleeps(sleepers, 1);
    wait.raise(flag.value, 1);
  });
  {
    const OneProcessor one;
    std::thread busy([&] {
      while (!is_over) is_running = true;
    });
    while (!is_running) std::this_thread::yield();
    NodeWait wait(sleepers, {});
    const auto used_before = usedCore();
    const auto begin = std::chrono::steady_clock::now();
    wait.until(flag.value, 1);
    const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - begin;
    // Each time that it wakes it takes a part of what it has slept.
    EXPECT_LT(usedCore() - used_before, std::chrono::milliseconds(10) + waited / 4);
    is_over = true;
    busy.join();
  }
  late.join();
}

TEST(NodeWait, returnsAtOnceWhereTheFlagIsRaised) {
  NodeSleepers sleepers;
  NodeFlag flag;
  NodeWait wait(sleepers, {});
  wait.raise(flag.value, 5);
  wait.until(flag.value, 4);
  EXPECT_TRUE(NodeWait::briefly(flag.value, 5));
  EXPECT_FALSE(NodeWait::briefly(flag.value, 6));
}

}  // namespace
}  // namespace starling
