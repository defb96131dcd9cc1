// What direct costs on virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "schedules.h"
#include "simulator/simulated_choice.h"

namespace starling {
namespace {

constexpr std::int64_t kCount = 1 << 20;
constexpr Bytes kElement{4};
const CostModel kModel{.alpha = {4e-6}, .beta = 8e-9, .gamma = 0.0, .ports = 1, .overhead = {1e-6}};
constexpr double kVector = (kCount * 4) * 8e-9;  // n beta, seconds

// Mean exit after the last arrival over n beta, with the last `late` ranks late by that much.
double overVector(const char* text, std::int32_t ranks, std::int32_t late, Seconds delay) {
  const Shape shape{.ranks = ranks, .count = kCount};
  Choice choice = parseChoice(text).value();
  setStepTime(choice, shape, kElement, kModel);
  setBestSegments(choice, shape, kElement, kModel);
  std::vector<Seconds> arrivals(static_cast<std::size_t>(ranks));
  std::fill(arrivals.end() - late, arrivals.end(), delay);
  std::vector<std::int64_t> lateness_ns;
  for (const Seconds arrival : arrivals) lateness_ns.push_back(toNanoseconds(arrival));
  const auto call = simulate(buildAll(choice, shape, lateness_ns), kElement, kModel, arrivals);
  EXPECT_TRUE(call.isOk()) << call.status().message();
  return postArrivalTime(call.value(), arrivals).value / kVector;
}

TEST(Direct, takesNoLongerThanTheRingWhenBalanced) {
  for (const std::int32_t ranks : {2, 3, 5, 8, 16, 33, 48}) {
    EXPECT_LE(overVector("direct", ranks, 0, Seconds{}), 1.02 * overVector("ring", ranks, 0, Seconds{})) << ranks;
  }
}

TEST(Direct, takesAboutOneVectorAfterAnyNumberOfLateRanks) {
  for (const std::int32_t ranks : {16, 33, 48}) {
    for (const std::int32_t late : {1, 2, 4}) {
      // Every rank that is on time sends so much of the result, n (P - 1) / (P - m).
      const double sent = static_cast<double>(ranks - 1) / (ranks - late);
      EXPECT_LE(overVector("direct", ranks, late, Seconds{0.1}), 1.17 * sent) << ranks << " ranks, " << late << " late";
    }
  }
}

// Where ranks run ahead several messages meet at one receiver, which costs nothing on virtual time.
TEST(Direct, sendsResultsInStepToOneNeighbourWhenNobodyIsLate) {
  constexpr std::uint8_t kResults = 1;
  for (const Schedule& schedule : schedulesOf("direct", 8, 64)) {
    EXPECT_TRUE(schedule.synchronous[kResults]);
    EXPECT_EQ(pacingOf(schedule, kResults), 1);
    EXPECT_EQ(windowOf(schedule, kResults), 1);
    int sent = 0;
    for (const Step& step : schedule.steps) {
      if (step.kind != StepKind::kSend || step.lane != kResults) continue;
      EXPECT_EQ(step.peer, (schedule.virtual_rank + 1) % schedule.ranks);
      ++sent;
    }
    EXPECT_EQ(sent, schedule.ranks - 1);
  }
}

}  // namespace
}  // namespace starling
