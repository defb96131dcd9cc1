#include "timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::cli {
namespace {

using testing::HasSubstr;

// Rank 1 (virtual 0) sends to rank 0 (virtual 1), which comes after 2 s and answers.
SimulatedCall exchange() {
  SimulatedCall call;
  call.exits = {Seconds{6.0}, Seconds{8.0}};
  call.transfers = {{0, 1, {0, 10}, StepKind::kReduce, Seconds{2.0}, Seconds{4.0}},
                    {1, 0, {0, 10}, StepKind::kReceive, Seconds{4.0}, Seconds{6.0}}};
  return call;
}

const std::vector<Seconds> kArrivals = {Seconds{0.0}, Seconds{2.0}};
const std::vector<std::int32_t> kTable = {1, 0};

TEST(Timeline, drawsWaitingSendingAndReceiving) {
  const std::string text = formatTimeline(exchange(), kArrivals, kTable, 8);
  EXPECT_THAT(text, HasSubstr("   0 (   1) |--ssrr  |\n"));
  EXPECT_THAT(text, HasSubstr("   1 (   0) |..++ss--|\n"));
  EXPECT_THAT(text, HasSubstr("0 s to 8.00 s, 1.00 s per character"));
}

TEST(Timeline, showsBothDirectionsInOneCharacter) {
  SimulatedCall call = exchange();
  call.transfers[1].start = Seconds{2.0};
  call.transfers[1].end = Seconds{4.0};
  const std::string text = formatTimeline(call, kArrivals, kTable, 8);
  EXPECT_THAT(text, HasSubstr("|--xx--  |"));
  EXPECT_THAT(text, HasSubstr("|..XX----|"));
}

TEST(Timeline, copesWithACallThatTakesNoTime) {
  SimulatedCall call;
  call.exits = {Seconds{0.0}, Seconds{0.0}};
  const std::vector<Seconds> arrivals(2);
  EXPECT_THAT(formatTimeline(call, arrivals, kTable, 4), HasSubstr("   1 (   0) |....|\n"));
}

TEST(Timeline, listsTransfersByRank) {
  EXPECT_EQ(formatTransfers(exchange(), kTable),
            " START     END  FROM  TO  ELEMENTS  AND\n"
            "2.00 s  4.00 s     1   0   [0, 10)  reduces\n"
            "4.00 s  6.00 s     0   1   [0, 10)  keeps\n");
}

}  // namespace
}  // namespace starling::cli
