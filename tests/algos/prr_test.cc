#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "schedule/verifier.h"
#include "schedules.h"

namespace starling {
namespace {

using testing::ElementsAre;

// By block of one element: the rank whose reduction message of it is not preceded by a reduce of its own.
std::vector<std::int32_t> startRanks(std::span<const Schedule> schedules) {
  std::vector<std::int32_t> starts(schedules.size(), -1);
  for (const Schedule& schedule : schedules) {
    std::vector<bool> is_begun(schedules.size(), false);
    for (const Step& step : schedule.steps) {
      if (step.kind == StepKind::kSend && !is_begun[step.block.offset]) {
        EXPECT_EQ(starts[step.block.offset], -1) << "block " << step.block.offset << " starts twice";
        starts[step.block.offset] = schedule.virtual_rank;
      }
      is_begun[step.block.offset] = true;
    }
  }
  return starts;
}

// The pseudo-code of the paper's figure 7, lines 1 to 13, with its misprints mended.
std::vector<std::int32_t> startRanksOfThePaper(std::span<const std::int64_t> lateness, std::int64_t tau) {
  const auto ranks = static_cast<std::int32_t>(lateness.size());
  std::vector<std::int64_t> k(lateness.size(), 0);
  for (std::int32_t i = ranks - 2; i >= 0; --i) {
    k[i] = k[i + 1] + (lateness[ranks - 1] - lateness[i + 1] >= (k[i + 1] + 1) * tau ? 1 : 0);
  }
  std::vector<std::int32_t> sp;
  std::int32_t i = 0;
  for (std::int32_t j = 0; j < ranks; ++j) {
    while (i + k[i] < j) ++i;
    sp.push_back(i);
  }
  return sp;
}

void expectSameSteps(std::span<const Schedule> a, std::span<const Schedule> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t rank = 0; rank < a.size(); ++rank) {
    ASSERT_EQ(a[rank].steps.size(), b[rank].steps.size());
    EXPECT_EQ(a[rank].dependencies, b[rank].dependencies);
    for (std::size_t i = 0; i < a[rank].steps.size(); ++i) {
      const Step& x = a[rank].steps[i];
      const Step& y = b[rank].steps[i];
      EXPECT_TRUE(x.kind == y.kind && x.order == y.order && x.lane == y.lane && x.peer == y.peer && x.tag == y.tag &&
                  x.block == y.block)
          << "rank " << rank << " step " << i;
    }
  }
}

TEST(Prr, isTheRingWhenNobodyIsLate) {
  for (const std::int32_t ranks : {2, 3, 4, 7, 16}) {
    const std::vector<std::int64_t> on_time(ranks, 0);
    expectSameSteps(schedulesOf("prr:tau_ns=1000", ranks, 37, on_time), schedulesOf("ring", ranks, 37));
    expectSameSteps(schedulesOf("prr:tau_ns=1000", ranks, 37), schedulesOf("ring", ranks, 37));
  }
}

TEST(Prr, isTheRingWhenTauIsZero) {
  const std::vector<std::int64_t> lateness{0, 0, 0, 5000};
  expectSameSteps(schedulesOf("prr", 4, 37, lateness), schedulesOf("ring", 4, 37));
}

// Figure 8: k = (2, 1, 0, 0).
TEST(Prr, blocksStartAtTheEarliestRankWhenTheLastIsTwoTausLate) {
  const std::vector<std::int64_t> lateness{0, 0, 0, 2000};
  EXPECT_THAT(startRanks(schedulesOf("prr:tau_ns=1000", 4, 4, lateness)), ElementsAre(0, 0, 0, 3));
}

// The messages are as many as the ring's, but the early ranks have more of them and the latest about half.
TEST(Prr, latestRankSendsAboutHalfTheBlocksWhenItIsVeryLate) {
  constexpr std::int32_t kRanks = 8;
  std::vector<std::int64_t> lateness(kRanks, 0);
  lateness.back() = 1'000'000;
  std::vector<std::int64_t> sends;
  for (const Schedule& schedule : schedulesOf("prr:tau_ns=1000", kRanks, kRanks, lateness)) {
    sends.push_back(std::count_if(schedule.steps.begin(), schedule.steps.end(),
                                  [](const Step& step) { return step.kind == StepKind::kSend; }));
  }
  EXPECT_EQ(sends.front(), 2 * kRanks);
  EXPECT_EQ(sends.back(), kRanks + 1);
  EXPECT_EQ(std::accumulate(sends.begin(), sends.end(), std::int64_t{0}), kRanks * (2 * kRanks - 2));
}

TEST(Prr, startRanksFollowThePaperForRandomPatterns) {
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    const auto ranks = static_cast<std::int32_t>(2 + random() % 30);
    std::vector<std::int64_t> lateness = randomLateness(ranks, 20'000, random);
    std::sort(lateness.begin(), lateness.end());
    const std::vector<Schedule> schedules = schedulesOf("prr:tau_ns=1000", ranks, ranks, lateness);
    EXPECT_EQ(startRanks(schedules), startRanksOfThePaper(lateness, 1000));
  }
}

TEST(Prr, unsortedLatenessStillGivesAnAllreduce) {
  const std::vector<std::int64_t> lateness{9000, 0, 4000, 1000, 5000};
  const Status status = verify(schedulesOf("prr:tau_ns=1000", 5, 11, lateness), {});
  EXPECT_TRUE(status.isOk()) << status.message();
}

}  // namespace
}  // namespace starling
