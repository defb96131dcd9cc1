#include "base/copies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace starling {
namespace {

class Copies : public testing::TestWithParam<void (*)(const std::byte* from, std::byte* to, std::size_t bytes)> {};

INSTANTIATE_TEST_SUITE_P(OfBytes, Copies, testing::Values(copyBytes, copyInPieces, copyPastCaches));

// From and to every place in a line, of every length up to some lines, and around those of several pieces.
TEST_P(Copies, copyWhatTheyAreToldAndNothingElse) {
  constexpr std::size_t kMost = 3100;
  constexpr std::size_t kPlaces = 64;
  std::vector<std::byte> from(kMost + kPlaces);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + i / 256 + 1);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    for (std::size_t bytes = 0; bytes <= kMost; bytes += bytes < 130 ? 1 : bytes < 1000 ? 97 : bytes < 1040 ? 8 : 311) {
      std::vector<std::byte> to(kMost + 2 * kPlaces);
      std::vector<std::byte> expected = to;
      const std::size_t source = (place * 5) % kPlaces;
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(source), bytes,
                  expected.begin() + static_cast<std::ptrdiff_t>(place));
      GetParam()(from.data() + source, to.data() + place, bytes);
      ASSERT_EQ(to, expected) << place << ", " << bytes;
    }
  }
}

TEST(LiesJustBehind, knowsTheTargetsThatStringMovesAreSlowWith) {
  alignas(4096) static std::byte memory[3 * 4096];
  std::byte* const from = memory + 4096;
  for (const int behind : {1, 16, 63, 4096 + 16, 16 - 4096}) EXPECT_TRUE(liesJustBehind(from, from + behind)) << behind;
  for (const int behind : {0, 64, -1, -16, 4096, 4096 + 64})
    EXPECT_FALSE(liesJustBehind(from, from + behind)) << behind;
}

}  // namespace
}  // namespace starling
