#include "mpi/execution/agreed_memory.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

constexpr std::int64_t kMi = 1 << 20;

// Has `limit_` bytes, and counts how often it is asked.
class AgreedMemoryTest : public testing::Test {
 protected:
  std::size_t limit_ = 16 * kMi;
  int asked_ = 0;
  AgreedMemory memory_{"calls", [this](std::size_t bytes) {
                         ++asked_;
                         return bytes <= limit_;
                       }};
};

TEST_F(AgreedMemoryTest, growsToPowersOfTwoForTheLargestCall) {
  EXPECT_EQ(memory_.reserve(), 0);
  memory_.want(3000);
  memory_.want(100);
  EXPECT_EQ(memory_.reserve(), 4096);
  EXPECT_EQ(memory_.reserve(), 4096);
  EXPECT_EQ(asked_, 1);
}

TEST_F(AgreedMemoryTest, growsForSmallerCallsAfterARefusal) {
  memory_.want(100);
  memory_.want(1000 * kMi);
  EXPECT_EQ(memory_.reserve(), 0);
  for (int period = 0; period < 3; ++period) {
    memory_.want(1000 * kMi);  // these go on
    memory_.want(3 * kMi);
    EXPECT_EQ(memory_.reserve(), 4 * kMi);
  }
  EXPECT_EQ(asked_, 2) << "what was refused is not asked for again";
}

TEST_F(AgreedMemoryTest, triesForOneCallWhatTheOthersDoNotDependOn) {
  memory_.want(1000 * kMi);
  EXPECT_EQ(memory_.reserveFor(3 * kMi), 4 * kMi);
  EXPECT_EQ(memory_.reserveFor(1000 * kMi), 4 * kMi);
  EXPECT_EQ(memory_.reserveFor(5 * kMi), 8 * kMi);
}

TEST_F(AgreedMemoryTest, hasWhatAllRanksHave) {
  EXPECT_FALSE(memory_.isAgreed());
  memory_.want(3 * kMi);
  memory_.reserve();
  EXPECT_FALSE(memory_.has(1));
  memory_.agree(2 * kMi);
  memory_.agree(kMi);  // said before
  EXPECT_TRUE(memory_.isAgreed());
  EXPECT_TRUE(memory_.has(2 * kMi));
  EXPECT_FALSE(memory_.has(2 * kMi + 1));
}

TEST_F(AgreedMemoryTest, remembersTheLeastThatWasRefused) {
  EXPECT_FALSE(memory_.isRefused(AgreedMemory::kMax));
  memory_.refuse(3 * kMi);
  memory_.refuse(5 * kMi);
  EXPECT_TRUE(memory_.isRefused(3 * kMi));
  EXPECT_FALSE(memory_.isRefused(3 * kMi - 1));
}

}  // namespace
}  // namespace starling
