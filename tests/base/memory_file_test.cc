#include "base/memory_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace starling {
namespace {

constexpr std::size_t kBytes = 5000;

// What `body` returns in another process.
template <typename Body>
bool isTrueInAnotherProcess(const Body& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(MemoryFile, isTheSameInAnotherProcess) {
  const Descriptor made = makeMemoryFile(kBytes);
  ASSERT_TRUE(made.isOpen());
  const pid_t maker = getpid();
  const int number = made.number();
  EXPECT_TRUE(isTrueInAnotherProcess([&] {
    const Descriptor opened = openMemoryFile(maker, number, kBytes);
    return opened.isOpen() && pwrite(opened.number(), "x", 1, kBytes - 1) == 1;
  }));
  std::array<char, 2> end{};
  EXPECT_EQ(pread(number, end.data(), end.size(), kBytes - 2), 2);
  EXPECT_EQ(end, (std::array<char, 2>{'\0', 'x'}));
}

TEST(MemoryFile, isNotOpenedWhereSomethingElseHasItsNumber) {
  const Descriptor made = makeMemoryFile(kBytes);
  EXPECT_FALSE(openMemoryFile(getpid(), made.number(), kBytes + 1).isOpen()) << "another size";
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const Descriptor read_end(ends[0]);
  const Descriptor write_end(ends[1]);
  EXPECT_FALSE(openMemoryFile(getpid(), read_end.number(), 0).isOpen()) << "no memory at all";
  EXPECT_FALSE(openMemoryFile(getpid(), 1'000'000, kBytes).isOpen()) << "nothing";
}

TEST(MemoryFile, isNotMadeBeyondALimitOfFilesSizes) {
  EXPECT_TRUE(isTrueInAnotherProcess([] {
    const rlimit limit{kBytes - 1, kBytes - 1};
    return setrlimit(RLIMIT_FSIZE, &limit) == 0 && !makeMemoryFile(kBytes).isOpen();
  }));
}

TEST(Descriptor, belongsToOneOwner) {
  Descriptor first = makeMemoryFile(1);
  const int number = first.number();
  const Descriptor second = std::move(first);
  EXPECT_EQ(second.number(), number);
  EXPECT_FALSE(first.isOpen());  // NOLINT(bugprone-use-after-move): that is what is tested
}

}  // namespace
}  // namespace starling
