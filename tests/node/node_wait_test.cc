#include "node/node_wait.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace starling {
namespace {

// Longer than any sleep's share, so that ranks sleep and are woken, or wake by themselves.
TEST(NodeWait, sleepsAndDrivesTheMpiLibraryWhileARankIsLongLate) {
  NodeSleepers sleepers;
  NodeFlag flag;
  std::atomic<int> driven{0};
  NodeWait::Settings settings;
  settings.progress = [](const void* context) { ++*static_cast<std::atomic<int>*>(const_cast<void*>(context)); };
  settings.context = &driven;
  std::thread late([&] {
    NodeWait wait(sleepers, {});
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    wait.raise(flag.value, 3);
  });
  NodeWait wait(sleepers, settings);
  wait.until(flag.value, 3);
  late.join();
  EXPECT_GE(flag.value.load(), 3u);
  EXPECT_GT(driven, 0);
  EXPECT_EQ(sleepers.count, 0u);
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
