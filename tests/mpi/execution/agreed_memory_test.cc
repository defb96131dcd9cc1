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

TEST_F(AgreedMemoryTest, growsInFewStepsForTheLargestCall) {
  EXPECT_EQ(memory_.reserve(), 0);
  memory_.want(3000);
  memory_.want(100);
  EXPECT_EQ(memory_.reserve(), 3072);
  EXPECT_EQ(memory_.reserve(), 3072);
  EXPECT_EQ(asked_, 1);
  for (std::int64_t bytes = 3000; bytes <= 4096; ++bytes) EXPECT_LE(memory_.reserveFor(bytes), bytes + bytes / 4);
  EXPECT_EQ(asked_, 3) << "3584 and 4096 bytes";
}

TEST_F(AgreedMemoryTest, growsForSmallerCallsAfterARefusal) {
  memory_.want(100);
  memory_.want(1000 * kMi);
  EXPECT_EQ(memory_.reserve(), 0);
  for (int period = 0; period < 3; ++period) {
    memory_.want(1000 * kMi);  // these go on
    memory_.want(3 * kMi);
    EXPECT_EQ(memory_.reserve(), 3 * kMi);
  }
  EXPECT_EQ(asked_, 2) << "what was refused is not asked for again";
}

TEST_F(AgreedMemoryTest, triesForOneCallWhatTheOthersDoNotDependOn) {
  memory_.want(1000 * kMi);
  EXPECT_EQ(memory_.reserveFor(3 * kMi), 3 * kMi);
  EXPECT_EQ(memory_.reserveFor(1000 * kMi), 3 * kMi);
  EXPECT_EQ(memory_.reserveFor(5 * kMi), 5 * kMi);
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
