#include "base/growing_memory.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace starling {
namespace {

TEST(GrowingMemory, growsAndNeverShrinks) {
  GrowingMemory memory;
  EXPECT_EQ(memory.size(), 0U);
  EXPECT_TRUE(memory.grow(0));
  EXPECT_TRUE(memory.grow(8));
  memory.data()[7] = std::byte{1};
  const std::byte* const before = memory.data();
  EXPECT_TRUE(memory.grow(4));
  EXPECT_EQ(memory.data(), before);
  EXPECT_EQ(memory.size(), 8U);
}

TEST(GrowingMemory, isAsBeforeWhereMemoryIsShort) {
  GrowingMemory memory;
  ASSERT_TRUE(memory.grow(8));
  memory.data()[7] = std::byte{1};
  EXPECT_FALSE(memory.grow(std::size_t{1} << 62));
  EXPECT_EQ(memory.size(), 8U);
  EXPECT_EQ(memory.data()[7], std::byte{1});
}

}  // namespace
}  // namespace starling
