#include "algos/ownership.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "schedules.h"

namespace starling {
namespace {

constexpr std::int64_t kVector = 1'000'000;  // ns, N
constexpr unsigned kSeed = 5;

std::vector<std::int64_t> lateTogether(std::int32_t ranks, std::int32_t late, std::int64_t lateness_ns) {
  std::vector<std::int64_t> lateness(ranks, 0);
  std::fill(lateness.end() - late, lateness.end(), lateness_ns);
  return lateness;
}

std::vector<std::int64_t> sizesOf(const Ownership& ownership, std::int32_t ranks) {
  std::vector<std::int64_t> sizes;
  for (std::int32_t rank = 0; rank < ranks; ++rank) sizes.push_back(ownership.blockOf(rank).count);
  return sizes;
}

TEST(Ownership, coversTheVectorOnceAndItsPartsCoverTheBlocks) {
  std::mt19937 random(kSeed);
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  for (const std::int32_t ranks : {2, 3, 5, 8, 13, 48}) {
    for (const std::int64_t count : {1, 2, 7, 48, 1000, 100'003}) {
      for (const std::int64_t longest : {std::int64_t{0}, kVector / 3, 3 * kVector, 50 * kVector}) {
        const Ownership ownership(ranks, count, 16, randomLateness(ranks, longest, random), kVector);
        std::int64_t next = 0;
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
          const Block block = ownership.blockOf(rank);
          EXPECT_EQ(block.offset, next);
          for (std::int32_t segment = 0; segment < ownership.segments(); ++segment) {
            EXPECT_EQ(ownership.blockOf(rank, segment).offset, next);
            next += ownership.blockOf(rank, segment).count;
          }
          EXPECT_EQ(next, block.offset + block.count);
        }
        EXPECT_EQ(next, count);
      }
    }
  }
}

TEST(Ownership, isEqualAndInOnePartWhenNobodyIsLate) {
  for (const std::vector<std::int64_t>& lateness : {std::vector<std::int64_t>{}, lateTogether(8, 0, 0)}) {
    const Ownership ownership(8, 800, 16, lateness, kVector);
    EXPECT_EQ(ownership.segments(), 1);
    EXPECT_EQ(sizesOf(ownership, 8), std::vector<std::int64_t>(8, 100));
    for (std::int32_t rank = 0; rank < 8; ++rank) EXPECT_EQ(ownership.contributionOf(rank), Contribution::kWhole);
  }
}

TEST(Ownership, isEqualWhenTheTimeOfAVectorIsNotKnown) {
  const Ownership ownership(8, 800, 16, lateTogether(8, 1, 50 * kVector), 0);
  EXPECT_EQ(ownership.segments(), 1);
  EXPECT_EQ(sizesOf(ownership, 8), std::vector<std::int64_t>(8, 100));
}

TEST(Ownership, leavesNothingToRanksThatAreLateTogether) {
  for (const std::int32_t late : {1, 2, 4}) {
    const Ownership ownership(16, 4800, 16, lateTogether(16, late, 2 * kVector), kVector);
    EXPECT_EQ(ownership.segments(), 16);
    for (std::int32_t rank = 0; rank < 16; ++rank) {
      const bool is_late = rank >= 16 - late;
      EXPECT_EQ(ownership.contributionOf(rank), is_late ? Contribution::kLast : Contribution::kWhole);
      EXPECT_NEAR(static_cast<double>(ownership.blockOf(rank).count), is_late ? 0.0 : 4800.0 / (16 - late), 16.0);
    }
  }
}

TEST(Ownership, isEqualWhenMostRanksAreLate) {
  const Ownership ownership(16, 1600, 16, lateTogether(16, 12, 50 * kVector), kVector);
  EXPECT_EQ(ownership.segments(), 1);
  EXPECT_EQ(sizesOf(ownership, 16), std::vector<std::int64_t>(16, 100));
}

TEST(Ownership, givesLaterRanksLess) {
  std::vector<std::int64_t> lateness(16);
  for (std::int32_t rank = 0; rank < 16; ++rank) lateness[rank] = rank * kVector / 5;  // over three vectors' time
  const Ownership ownership(16, 16'000, 16, lateness, kVector);
  const std::vector<std::int64_t> sizes = sizesOf(ownership, 16);
  EXPECT_GT(ownership.segments(), 1);
  EXPECT_TRUE(std::is_sorted(sizes.rbegin(), sizes.rend()));
  EXPECT_EQ(sizes.back(), 0);
  EXPECT_GT(sizes[13], 0);
  EXPECT_EQ(ownership.contributionOf(13), Contribution::kParts);
}

TEST(Ownership, boundsWhatAnOwnerMustKeep) {
  std::mt19937 random(kSeed);
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  for (const std::int32_t ranks : {2, 3, 8, 33}) {
    for (const std::int64_t count : {1, 10, 100, 10'000}) {
      for (int i = 0; i < 20; ++i) {
        const Ownership ownership(ranks, count, 64, randomLateness(ranks, 4 * kVector, random), kVector);
        const std::vector<std::int64_t> sizes = sizesOf(ownership, ranks);
        EXPECT_LE((ranks - 1) * *std::max_element(sizes.begin(), sizes.end()),
                  std::max<std::int64_t>(3 * count, 5 * ranks));
      }
    }
  }
}

}  // namespace
}  // namespace starling
