#include "store/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

namespace starling {
namespace {

std::vector<std::int32_t> inOrder(std::int32_t ranks) {
  std::vector<std::int32_t> table(static_cast<std::size_t>(ranks));
  std::iota(table.begin(), table.end(), 0);
  return table;
}

template <typename Integer>
void expectReadBack(const std::vector<Integer>& list) {
  std::vector<Integer> read{1};
  EXPECT_TRUE(parseList(formatList(list), read)) << formatList(list);
  EXPECT_EQ(read, list) << formatList(list);
}

TEST(FormatList, fewEntriesStandOneByOne) {
  EXPECT_EQ(formatList(std::vector<std::int32_t>{}), "[]");
  EXPECT_EQ(formatList(std::vector<std::int32_t>{2, 0, 1}), "[2,0,1]");
  EXPECT_EQ(formatList(std::vector<std::int64_t>{0, 0, 0, 0, 1'500'000, -3}), "[0,0,0,0,1500000,-3]");
}

// The text of a table of 10,000 ranks had 50 KB.
TEST(FormatList, manyEntriesInARowAreOneString) {
  std::vector<std::int32_t> table = inOrder(10'000);
  std::rotate(table.begin() + 40, table.begin() + 41, table.end());  // rank 40 comes last
  EXPECT_EQ(formatList(table), R"(["0-39","41-9999",40])");
  std::vector<std::int64_t> lateness_ns(10'000);
  lateness_ns.back() = 5'000'000;
  EXPECT_EQ(formatList(lateness_ns), R"(["9999*0",5000000])");
}

TEST(ParseList, readsWhatWasWritten) {
  for (const std::int32_t ranks : {1, 2, 31, 32, 33, 64, 65, 1000}) {
    expectReadBack(inOrder(ranks));
    expectReadBack(std::vector<std::int64_t>(static_cast<std::size_t>(ranks), 7));
    std::vector<std::int32_t> table = inOrder(ranks);
    std::reverse(table.begin(), table.end());
    expectReadBack(table);
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  expectReadBack(std::vector<std::int64_t>{kLeast, kMost, kLeast, kMost - 1, kMost});
  expectReadBack(std::vector<std::int64_t>(40, kLeast));
  expectReadBack(std::vector<std::int64_t>(40, kMost));
}

TEST(ParseList, readsListsOfAnyRuns) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<std::int64_t> list;
    for (int run = 0; run < 6; ++run) {
      const std::int64_t distance = static_cast<std::int64_t>(random() % 4) - 1;
      std::int64_t value = static_cast<std::int64_t>(random() % 50) - 5;
      for (auto length = random() % 70; length > 0; --length, value += distance) list.push_back(value);
    }
    expectReadBack(list);
  }
}

TEST(ParseList, refusesWhatIsNoList) {
  std::vector<std::int32_t> list;
  for (const char* text : {"",
                           "[",
                           "]",
                           "[1",
                           "1]",
                           "[1,]",
                           "[,1]",
                           "[1 ,2]",
                           "[1,2]x",
                           "[2147483648]",
                           "[x]",
                           R"(["])",
                           R"([""])",
                           R"(["1"])",
                           R"(["1-"])",
                           R"(["-1"])",
                           R"(["1-2])",
                           R"(["1+2"])",
                           R"(["5-4"])",
                           R"(["-5--4"])",
                           R"(["2*-1"])",
                           R"(["2147483647-2147483648"])",
                           R"(["1*2147483648"])",
                           R"(["1-2"3])",
                           R"(["1-99999999999999999999"])"}) {
    EXPECT_FALSE(parseList(text, list)) << text;
  }
}

// A damaged text of a few letters must not take all memory.
TEST(ParseList, stringsStandForNoMoreThanThereMayBeRanks) {
  std::vector<std::int64_t> list;
  EXPECT_TRUE(parseList(R"(["4000000*0"])", list));
  EXPECT_FALSE(parseList(R"(["4194305*0"])", list));
  EXPECT_FALSE(parseList(R"(["0-4194304"])", list));
  EXPECT_FALSE(parseList(R"(["3000000*0","3000000*1"])", list));
  EXPECT_FALSE(parseList(R"(["0-9223372036854775807"])", list));
  EXPECT_FALSE(parseList(R"(["9223372036854775807*0"])", list));
}

}  // namespace
}  // namespace starling
