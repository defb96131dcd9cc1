#include "base/address_space.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <limits>

namespace starling {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

// Leaves this process, which is to end soon, so many bytes.
void limitTo(std::size_t spare) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + spare;
  const rlimit limit{most, most};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(2);
}

TEST(AddressSpace, isThereWithoutLimits) {
  EXPECT_TRUE(hasAddressSpace(0));
  EXPECT_TRUE(hasAddressSpace(64 * kMebibyte));
  EXPECT_TRUE(leavesAddressSpace(64 * kMebibyte));
}

TEST(AddressSpace, neverHasMoreThanAddressesCanTell) {
  EXPECT_FALSE(hasAddressSpace(std::numeric_limits<std::size_t>::max() / 2));
  EXPECT_FALSE(leavesAddressSpace(std::numeric_limits<std::size_t>::max()));
}

TEST(AddressSpaceDeathTest, endsAtTheLimitOfTheProcess) {
  const auto look = [] {
    limitTo(16 * kMebibyte);
    const bool is_right = hasAddressSpace(8 * kMebibyte) && hasAddressSpace(8 * kMebibyte) &&
                          !hasAddressSpace(17 * kMebibyte) && leavesAddressSpace(kMebibyte) &&
                          !leavesAddressSpace(8 * kMebibyte);
    std::_Exit(is_right ? 0 : 1);
  };
  EXPECT_EXIT(look(), testing::ExitedWithCode(0), "");
}

TEST(Heap, isThereWithoutLimits) {
  EXPECT_TRUE(hasHeap(0));
  EXPECT_TRUE(hasHeap(kMebibyte));
}

#ifndef STARLING_SANITIZED  // whose operator new needs more than it gives
TEST(HeapDeathTest, endsAtTheLimitOfTheProcess) {
  const auto look = [] {
    limitTo(16 * kMebibyte);
    std::_Exit(hasHeap(8 * kMebibyte) && !hasHeap(17 * kMebibyte) ? 0 : 1);
  };
  EXPECT_EXIT(look(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace starling
