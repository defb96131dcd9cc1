// Programs whose ranks reach a call from different lines. They are legal MPI: they must not hang, must be right, and
// where there is an order to be learned they must be tuned.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "checked_call.h"
#include "harness.h"
#include "starling/starling.h"

namespace starling {
namespace {

std::array<long, 8> g_calls_from{};

// One line of the program that calls. What follows the call keeps compilers from making a jump of it, or one function
// of all lines: each number is a site of its own.
template <int kLine>
[[gnu::noinline, gnu::noclone]] std::int64_t sumFromLine(std::int64_t mine, int count, MPI_Comm communicator) {
  std::array<std::int64_t, 64> in_out{};
  in_out[0] = mine;
  EXPECT_EQ(tuned_allreduce(MPI_IN_PLACE, in_out.data(), count, MPI_INT64_T, MPI_SUM, communicator), MPI_SUCCESS);
  ++g_calls_from[kLine];
  return in_out[0];
}

std::int64_t sumFrom(int line, std::int64_t mine, int count, MPI_Comm communicator) {
  switch (line) {
    case 0:
      return sumFromLine<0>(mine, count, communicator);
    case 1:
      return sumFromLine<1>(mine, count, communicator);
    case 2:
      return sumFromLine<2>(mine, count, communicator);
    default:
      return sumFromLine<3>(mine, count, communicator);
  }
}

void expectSumFrom(int line, int call, MPI_Comm communicator, int count = 8) {
  const int ranks = worldSize();
  const std::int64_t expected = std::int64_t{ranks} * (ranks - 1) / 2 + std::int64_t{ranks} * call;
  EXPECT_EQ(sumFrom(line, worldRank() + call, count, communicator), expected) << "call " << call;
}

void expectAllPlanned(MPI_Comm communicator) {
  for (int key = 0; key < keyCount(communicator); ++key) {
    EXPECT_TRUE(isPlanned(infoOf(communicator, key))) << "key " << key;
  }
}

TEST(Sites, ranksMayCallFromDifferentLines) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  for (int call = 0; call < 10'000; ++call) expectSumFrom(worldRank() == 0 ? 0 : 1, call, duplicate.get());
  EXPECT_GE(g_calls_from[worldRank() == 0 ? 0 : 1], 10'000);
  if (worldSize() == 1) return;
  // On busy cores the ranks may come late by turns: then the calls that are special in a cycle have a key of their own.
  ASSERT_GE(keyCount(duplicate.get()), 1);
  ASSERT_LE(keyCount(duplicate.get()), 2);
  for (int key = 0; key < keyCount(duplicate.get()); ++key) {
    EXPECT_EQ(infoOf(duplicate.get(), key).site, 1) << "the ranks' lines come in one order, so they are one site";
  }
  EXPECT_TRUE(isPlanned(infoOf(duplicate.get(), 0)));
}

TEST(Sites, sitesThatAlternateAreTunedApart) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  std::array<bool, 2> follows_its_plan{};
  for (int call = 0; call < 400; ++call) {
    // Rank 0 takes lines 0 and 1 in turn, the others 2 and 3.
    expectSumFrom(call % 2 + (worldRank() == 0 ? 0 : 2), call, duplicate.get());
    if (call < 200 || worldSize() == 1) continue;
    for (int key = 0; key < 2; ++key) {
      if (infoOf(duplicate.get(), key).calls > 0) follows_its_plan.at(static_cast<std::size_t>(key)) = true;
    }
  }
  if (worldSize() == 1) return;
  ASSERT_EQ(keyCount(duplicate.get()), 2);
  const starling_key_info first = infoOf(duplicate.get(), 0);
  const starling_key_info second = infoOf(duplicate.get(), 1);
  EXPECT_NE(first.site, second.site);
  EXPECT_EQ(first.bytes, second.bytes);
  // The calls since its plan took force, which may just have happened: the prediction sends each site's calls to its
  // own plan.
  EXPECT_TRUE(follows_its_plan[0]);
  EXPECT_TRUE(follows_its_plan[1]);
  expectAllPlanned(duplicate.get());
}

// A loop that ends when its data say so, and another line after it: the number of turns changes all the time.
TEST(Sites, loopsMayDependOnData) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  std::int64_t residual = 0;
  int calls = 0;
  for (int round = 0; round < 120; ++round) {
    residual = 1 + (round * 7) % 11;
    while (residual > 0) {
      const std::int64_t all = sumFrom(worldRank() % 2, residual, 8, duplicate.get());
      EXPECT_EQ(all, residual * worldSize());
      --residual;
      ++calls;
    }
    expectSumFrom(2, round, duplicate.get());
  }
  EXPECT_GT(calls, 600);
  if (worldSize() == 1) return;
  EXPECT_GE(keyCount(duplicate.get()), 2);
  EXPECT_TRUE(isPlanned(infoOf(duplicate.get(), 0)));
}

TEST(Sites, sizesMayDependOnTheSite) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  for (int call = 0; call < 300; ++call) expectSumFrom(call % 3, call, duplicate.get(), 1 << (call % 3 * 2));
  if (worldSize() == 1) return;
  EXPECT_EQ(keyCount(duplicate.get()), 3);
  expectAllPlanned(duplicate.get());
}

TEST(Sites, linesMayHaveNoOrderAtAll) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  unsigned state = static_cast<unsigned>(worldRank()) * 7919U + 1U;
  for (int call = 0; call < 1000; ++call) {
    state = state * 1664525U + 1013904223U;
    expectSumFrom(static_cast<int>(state >> 30), call, duplicate.get());
  }
  if (worldSize() < 3) return;  // few ranks may agree by luck
  // Nothing was agreed on but the signature, and that is tuned.
  std::set<int> sites;
  for (int key = 0; key < keyCount(duplicate.get()); ++key) sites.insert(infoOf(duplicate.get(), key).site);
  EXPECT_TRUE(sites.contains(0));
}

// All ranks from the same line for long, then each from its own.
TEST(Sites, agreementMayEnd) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  for (int call = 0; call < 200; ++call) expectSumFrom(0, call, duplicate.get());
  for (int call = 0; call < 200; ++call) expectSumFrom((call * (worldRank() + 1)) % 4, call, duplicate.get());
  for (int call = 0; call < 200; ++call) expectSumFrom(0, call, duplicate.get());
}

}  // namespace
}  // namespace starling
