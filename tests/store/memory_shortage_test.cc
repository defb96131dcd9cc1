// What the writer does when memory is short. This program's operator new fails on demand.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "database_fixture.h"
#include "store/background_writer.h"

namespace {

std::atomic<bool> g_is_short{false};  // for threads that the test did not start itself
thread_local bool t_is_exempt = false;

void* allocate(std::size_t bytes) {
  if (g_is_short && !t_is_exempt) throw std::bad_alloc();
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace starling {
namespace {

// While it lives, only the test's own thread gets memory.
class Shortage {
 public:
  Shortage() { g_is_short = true; }
  ~Shortage() { g_is_short = false; }
  Shortage(const Shortage&) = delete;
  Shortage& operator=(const Shortage&) = delete;
};

class MemoryShortage : public testing::Test {
 protected:
  void SetUp() override {
    t_is_exempt = true;
    setLogSink([](LogLevel, std::string_view) {});
  }
  void TearDown() override { setLogSink(nullptr); }

  TemporaryFolder folder_;
  const std::string path_ = folder_.file("tuning.db");
};

TEST_F(MemoryShortage, threadTriesAgainAndLosesNothing) {
  BackgroundWriter writer(path_, sampleRun("r"));
  EXPECT_TRUE(writer.policies(Seconds{30}).empty());
  {
    const Shortage shortage;
    writer.push(sampleBatch());
    EXPECT_FALSE(writer.flush(Seconds{0.5}));
  }
  EXPECT_TRUE(writer.flush(Seconds{60}));
  EXPECT_TRUE(writer.finish(Seconds{60}));
  EXPECT_EQ(count(path_, "observations"), 1);
}

TEST_F(MemoryShortage, callsThatWriteThemselvesTryAgainAndLoseNothing) {
  BackgroundWriter writer(path_, sampleRun("r"), WriterThread::kCallers);
  Batch batch = sampleBatch();
  bool flushed = true;
  {
    const Shortage shortage;
    t_is_exempt = false;
    writer.push(std::move(batch));
    flushed = writer.flush(Seconds{0});
    t_is_exempt = true;
  }
  EXPECT_FALSE(flushed);
  EXPECT_TRUE(writer.finish(Seconds{0}));
  EXPECT_EQ(count(path_, "observations"), 1);
}

TEST_F(MemoryShortage, readingPoliciesGivesNone) {
  Batch batch = sampleBatch();
  {
    BackgroundWriter first(path_, sampleRun("r"));
    first.push(batch);
    ASSERT_TRUE(first.finish(Seconds{30}));
  }
  BackgroundWriter writer(path_, sampleRun("s"));
  ASSERT_EQ(writer.policies(Seconds{30}).size(), 1U);
  const Shortage shortage;
  t_is_exempt = false;
  const std::vector<PolicyRecord> none = writer.policies(Seconds{30});
  t_is_exempt = true;
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace starling
