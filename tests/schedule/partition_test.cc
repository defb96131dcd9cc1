#include "schedule/partition.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(Partition, partsCoverTheBlockWithoutGapsForAnyCountAndParts) {
  for (std::int64_t count = 0; count <= 20; ++count) {
    for (std::int64_t parts = 1; parts <= 25; ++parts) {
      std::int64_t next = 7;
      for (std::int64_t i = 0; i < parts; ++i) {
        const Block part = partOf({7, count}, parts, i);
        EXPECT_EQ(part.offset, next);
        EXPECT_GE(part.count, count / parts);
        EXPECT_LE(part.count, count / parts + 1);
        next += part.count;
      }
      EXPECT_EQ(next, 7 + count);
    }
  }
}

TEST(Partition, longerPartsComeFirst) {
  EXPECT_EQ(partOf({0, 5}, 3, 0), (Block{0, 2}));
  EXPECT_EQ(partOf({0, 5}, 3, 1), (Block{2, 2}));
  EXPECT_EQ(partOf({0, 5}, 3, 2), (Block{4, 1}));
}

TEST(Partition, hugeCountsDoNotOverflow) {
  const std::int64_t count = std::int64_t{1} << 61;
  const Block last = partOf({0, count}, 1'000'003, 1'000'002);
  EXPECT_EQ(last.offset + last.count, count);
}

}  // namespace
}  // namespace starling
