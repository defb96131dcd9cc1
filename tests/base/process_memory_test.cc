#include "base/process_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <numeric>
#include <vector>

namespace starling {
namespace {

// Two pages, of which the second cannot be read.
class HalfReadable {
 public:
  HalfReadable() { mprotect(data() + kPage, kPage, PROT_NONE); }
  ~HalfReadable() { munmap(pages_, 2 * kPage); }
  HalfReadable(const HalfReadable&) = delete;
  HalfReadable& operator=(const HalfReadable&) = delete;

  static constexpr std::size_t kPage = 4096;
  std::byte* data() const { return static_cast<std::byte*>(pages_); }

 private:
  void* pages_ = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
};

class ReadProcessMemory : public testing::Test {
 protected:
  void SetUp() override {
    const char own = 7;
    char found = 0;
    if (!readProcessMemory(getpid(), &own, &found, 1)) GTEST_SKIP() << "the system does not let processes be read";
  }
};

TEST_F(ReadProcessMemory, readsItsOwn) {
  std::vector<int> values(100'000);
  std::iota(values.begin(), values.end(), 1);
  std::vector<int> found(values.size());
  EXPECT_TRUE(readProcessMemory(getpid(), values.data(), found.data(), values.size() * sizeof(int)));
  EXPECT_EQ(found, values);
  EXPECT_TRUE(readProcessMemory(getpid(), values.data(), found.data(), 0));
}

TEST_F(ReadProcessMemory, readsWhatAChildHas) {
  static int value = 1;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (;;) pause();
  }
  value = 2;
  int found = 0;
  EXPECT_TRUE(readProcessMemory(child, &value, &found, sizeof found));
  EXPECT_EQ(found, 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(readProcessMemory(child, &value, &found, sizeof found)) << "it is no more";
}

TEST_F(ReadProcessMemory, looksAtEachPage) {
  const std::vector<std::byte> pages(300 * HalfReadable::kPage);
  EXPECT_TRUE(isProcessMemoryReadable(getpid(), pages.data(), 0));
  for (const std::size_t bytes : {std::size_t{1}, 64 * HalfReadable::kPage, pages.size()}) {
    EXPECT_TRUE(isProcessMemoryReadable(getpid(), pages.data(), bytes)) << bytes;
  }
}

TEST_F(ReadProcessMemory, saysWhereSomeOfItCannotBeRead) {
  const HalfReadable pages;
  std::vector<std::byte> found(2 * HalfReadable::kPage);
  EXPECT_TRUE(readProcessMemory(getpid(), pages.data(), found.data(), HalfReadable::kPage));
  EXPECT_FALSE(readProcessMemory(getpid(), pages.data(), found.data(), found.size()));
  EXPECT_FALSE(readProcessMemory(getpid(), pages.data() + HalfReadable::kPage, found.data(), 1));
  EXPECT_FALSE(readProcessMemory(getpid(), nullptr, found.data(), 1));
  EXPECT_TRUE(isProcessMemoryReadable(getpid(), pages.data() + 1, HalfReadable::kPage - 1));
  EXPECT_FALSE(isProcessMemoryReadable(getpid(), pages.data() + 1, HalfReadable::kPage));
}

}  // namespace
}  // namespace starling
