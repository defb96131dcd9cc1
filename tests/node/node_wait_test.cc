#include "node/node_wait.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

namespace starling {
namespace {

// Works for so long, not counting the time in which others have the core.
void useCore(std::chrono::nanoseconds time) {
  const auto used = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  };
  for (const auto end = used() + time; used() < end;) continue;
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
