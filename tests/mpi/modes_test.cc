// Options that change what a call does. Each test sets them before a communicator of its own makes its first call, and
// none calls on MPI_COMM_WORLD: that would agree on the options for the whole program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "checked_call.h"
#include "harness.h"
#include "starling/starling.h"

namespace starling {
namespace {

TEST(Modes, offNeitherTunesNorWatches) {
  const ScopedVariable mode("STARLING_MODE", "off");
  const ScopedVariable algorithm("STARLING_ALGORITHM", "ring");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  expectSums(60, 300, duplicate.get());
  EXPECT_EQ(keyCount(duplicate.get()), 0);
}

TEST(Modes, siteHandlesWorkWhenTuningIsOff) {
  const ScopedVariable mode("STARLING_MODE", "off");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  starling_site site = nullptr;
  ASSERT_EQ(starling_site_create(duplicate.get(), "somewhere", &site), STARLING_SUCCESS);
  for (int call = 0; call < 30; ++call) {
    int ones = 1;
    EXPECT_EQ(tuned_allreduce_site(site, MPI_IN_PLACE, &ones, 1, MPI_INT, MPI_SUM), MPI_SUCCESS);
    EXPECT_EQ(ones, worldSize());
  }
  EXPECT_EQ(starling_site_free(&site), STARLING_SUCCESS);
}

TEST(Modes, observeWatchesAndLeavesTheChoiceToMpi) {
  const ScopedVariable mode("STARLING_MODE", "observe");
  const ScopedVariable algorithm("STARLING_ALGORITHM", "ring");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  for (int call = 0; call < 60; ++call) {
    expectSums(1, 300, duplicate.get());
    if (keyCount(duplicate.get()) == 0) continue;
    const starling_key_info info = infoOf(duplicate.get(), 0);
    EXPECT_STREQ(info.algorithm, "native");
    EXPECT_EQ(info.exploring, 0);
    EXPECT_EQ(info.settled, 0);
  }
  EXPECT_EQ(keyCount(duplicate.get()), worldSize() > 1 ? 1 : 0);
}

// The user has chosen, whatever the choice is: by `mpirun --mca` as well, which sets these variables.
TEST(Modes, observeWhereAnAlgorithmOfOpenMpiIsChosen) {
  for (const char* variable :
       {"OMPI_MCA_coll_tuned_allreduce_algorithm", "OMPI_MCA_coll_tuned_dynamic_rules_filename"}) {
    const ScopedVariable chosen(variable, "4");
    const ScopedVariable algorithm("STARLING_ALGORITHM", "ring");
    const ScopedDuplicate duplicate(MPI_COMM_WORLD);
    expectSums(60, 300, duplicate.get());
    if (worldSize() == 1) continue;
    EXPECT_STREQ(infoOf(duplicate.get(), 0).algorithm, "native") << variable;
    EXPECT_EQ(infoOf(duplicate.get(), 0).settled, 0);
  }
}

TEST(Modes, communicatorsAreLeftAloneUntilTheMinimumOfCalls) {
  const ScopedVariable minimum("STARLING_MINIMUM_CALLS", "50");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  expectSums(50, 300, duplicate.get());
  EXPECT_EQ(keyCount(duplicate.get()), 0);
  expectSums(10, 300, duplicate.get());
  EXPECT_EQ(keyCount(duplicate.get()), worldSize() > 1 ? 1 : 0);
}

TEST(Modes, optionsAreThoseOfTheFirstRankEverywhere) {
  const ScopedVariable algorithm("STARLING_ALGORITHM", worldRank() == 0 ? "ring_segmented" : "slt");
  const ScopedVariable minimum("STARLING_MINIMUM_CALLS", std::to_string(4 + worldRank()));
  const ScopedVariable mode("STARLING_MODE", worldRank() == 0 ? "tune" : "off");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  expectSums(60, 300, duplicate.get());
  if (worldSize() == 1) return;
  EXPECT_STREQ(infoOf(duplicate.get(), 0).algorithm, "ring_segmented");
}

TEST(Modes, sumsAreRightAndTablesEqualOnAllRanksUnderBothPolicies) {
  for (const char* policy : {"sort", "swap"}) {
    for (const char* name : {"slt", "prr:tau_ns=1000", "ring", ""}) {
      const Watch watch(std::string(policy) + ", " + name);
      const ScopedVariable virtual_ranks("STARLING_VIRTUAL_RANKS", policy);
      const ScopedVariable algorithm("STARLING_ALGORITHM", name);
      const ScopedVariable epoch("STARLING_LONGEST_EPOCH", "4");
      const ScopedDuplicate duplicate(MPI_COMM_WORLD);
      for (int call = 0; call < 40; ++call) {
        // The first rank is the latest, if the machine is not busy, so the table is not the identity for long.
        if (worldRank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        expectSums(1, 300, duplicate.get());
      }
      if (worldSize() == 1) continue;
      std::vector<int> table(static_cast<std::size_t>(worldSize()), -1);
      ASSERT_EQ(starling_query_table(duplicate.get(), 0, table.data()), STARLING_SUCCESS);
      EXPECT_TRUE(isEqualOnAllRanks(hashOfBytes(table.data(), table.size() * sizeof(int)), duplicate.get()));
    }
  }
}

double inexactInput(int rank, std::size_t index) {
  return std::sin(1.0 + 10.0 * rank + static_cast<double>(index)) * std::pow(10.0, rank % 5);
}

// What recursive doubling combines: neighbours in pairs until a power of two is left, then a balanced tree.
double recursiveDoublingSum(int ranks, std::size_t index) {
  int power = 1;
  while (2 * power <= ranks) power *= 2;
  const int folded = ranks - power;
  std::vector<double> sums;
  for (int rank = 0; rank < ranks; ++rank) {
    double value = inexactInput(rank, index);
    if (rank < 2 * folded) value += inexactInput(++rank, index);
    sums.push_back(value);
  }
  for (; sums.size() > 1; sums.resize(sums.size() / 2)) {
    for (std::size_t i = 0; i < sums.size() / 2; ++i) sums[i] = sums[2 * i] + sums[2 * i + 1];
  }
  return sums.front();
}

TEST(Modes, reproducibleBitsDependOnRankAndCountAlone) {
  const ScopedVariable reproducible("STARLING_REPRODUCIBLE", "1");
  constexpr std::size_t kCount = 777;
  std::vector<double> expected;
  std::vector<double> input;
  std::size_t sums_that_depend_on_the_association = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    input.push_back(inexactInput(worldRank(), i));
    expected.push_back(recursiveDoublingSum(worldSize(), i));
    double in_a_row = 0.0;
    for (int rank = 0; rank < worldSize(); ++rank) in_a_row += inexactInput(rank, i);
    sums_that_depend_on_the_association += in_a_row != expected.back() ? 1 : 0;
  }
  if (worldSize() > 3) {
    EXPECT_GT(sums_that_depend_on_the_association, 0U);
  }
  // SLT is no match for it; nothing named lets the mode choose.
  const std::vector<std::string> settings{"slt", "", "rabenseifner", "direct",
                                          "direct:segments=5,tau_ns=1000,flagged=1"};
  for (std::size_t i = 0; i < 2 * settings.size(); ++i) {
    const std::size_t pattern = i % 2;
    const ScopedVariable algorithm("STARLING_ALGORITHM", settings[i / 2]);
    const ScopedDuplicate duplicate(MPI_COMM_WORLD);
    const int lateness = pattern == 0 ? worldRank() : worldSize() - worldRank();
    for (int call = 0; call < 30; ++call) {
      std::this_thread::sleep_for(std::chrono::microseconds(300 * lateness));
      std::vector<double> result(kCount);
      EXPECT_EQ(tuned_allreduce(input.data(), result.data(), kCount, MPI_DOUBLE, MPI_SUM, duplicate.get()),
                MPI_SUCCESS);
      EXPECT_EQ(std::memcmp(result.data(), expected.data(), kCount * sizeof(double)), 0)
          << settings[i / 2] << ", pattern " << pattern << ", call " << call;
    }
  }
}

TEST(Modes, reproducibleKeepsTheOrderOfOperands) {
  const ScopedVariable reproducible("STARLING_REPRODUCIBLE", "1");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  const UserOperations operations;
  for (int call = 0; call < 30; ++call) {
    expectReduced(operations.nonCommutative(), 100, call % 2 == 0, duplicate.get());
  }
}

// On rank 0, whose options count.
TEST(Modes, wrongOptionsAreToldOnceAndChangeNothing) {
  testing::internal::CaptureStderr();
  {
    const ScopedVariable mode("STARLING_MODE", "fast");
    const ScopedVariable trials("STARLING_MINIMUM_CALLS", "-3");
    for (int i = 0; i < 3; ++i) {
      const ScopedDuplicate duplicate(MPI_COMM_WORLD);
      expectSums(20, 300, duplicate.get());
    }
  }
  const std::string text = testing::internal::GetCapturedStderr();
  if (worldRank() != 0) {
    EXPECT_EQ(text, "");
    return;
  }
  EXPECT_THAT(text, testing::HasSubstr("STARLING_MODE=fast"));
  EXPECT_THAT(text, testing::HasSubstr("STARLING_MINIMUM_CALLS=-3"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

}  // namespace
}  // namespace starling
