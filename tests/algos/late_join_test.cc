// What late join costs on virtual time.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "algos/catalogue.h"
#include "schedules.h"
#include "simulator/simulated_choice.h"

namespace starling {
namespace {

constexpr std::int32_t kBlocks = 64;

// A block takes one second on the wire; nothing else takes time.
double postArrival(std::int32_t ranks, Seconds lateness) {
  const CostModel model{.alpha = {0.0}, .beta = 1.0, .gamma = 0.0, .ports = 1};
  const Choice choice = parseChoice("late_join:segments=" + std::to_string(kBlocks)).value();
  const std::vector<Schedule> schedules = buildAll(choice, {.ranks = ranks, .count = kBlocks}, {});
  std::vector<Seconds> arrivals(static_cast<std::size_t>(ranks));
  arrivals.back() = lateness;
  const Result<SimulatedCall> call = simulate(schedules, Bytes{1}, model, arrivals);
  EXPECT_TRUE(call.isOk()) << call.status().message();
  return postArrivalTime(call.value(), arrivals).value;
}

TEST(LateJoin, takesOneRoundPerBlockAndTheLogarithmAfterALateRank) {
  for (std::int32_t ranks = 2; ranks <= 64; ++ranks) {
    const auto rounds = kBlocks - 1 + std::bit_width(static_cast<std::uint32_t>(ranks - 1));
    EXPECT_LE(postArrival(ranks, Seconds{1000.0}), static_cast<double>(rounds)) << ranks << " ranks";
  }
}

TEST(LateJoin, isWithinAHalfMoreOfTwoVectorsWhenNobodyIsLate) {
  for (const std::int32_t ranks : {2, 5, 8, 16, 33, 48, 64}) {
    EXPECT_LE(postArrival(ranks, Seconds{}), 1.5 * 2 * kBlocks) << ranks << " ranks";
  }
}

TEST(LateJoin, keepsInStep) {
  for (const Schedule& schedule : schedulesOf("late_join", 8, 64)) {
    for (const Step& step : schedule.steps) EXPECT_TRUE(schedule.synchronous[step.lane]);
    EXPECT_EQ(pacingOf(schedule, kReduceLane), 1);
  }
}

}  // namespace
}  // namespace starling
