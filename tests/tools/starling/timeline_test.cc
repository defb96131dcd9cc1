#include "timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

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

std::string drawn(const SimulatedCall& call, std::size_t width) {
  const Drawing drawing{"exchange", &call};
  return formatTimeline({&drawing, 1}, kArrivals, kTable, width);
}

TEST(Timeline, drawsWaitingSendingAndReceiving) {
  EXPECT_THAT(drawn(exchange(), 8), StartsWith("virtual rank (rank), 0 s to 8.00 s, 1.00 s per character\n"
                                               "exchange\n"
                                               "   0 (   1) |--ssrr  |\n"
                                               "   1 (   0) |..++ss--|\n"));
}

TEST(Timeline, showsBothDirectionsInOneCharacter) {
  SimulatedCall call = exchange();
  call.transfers[1].start = Seconds{2.0};
  call.transfers[1].end = Seconds{4.0};
  EXPECT_THAT(drawn(call, 8), HasSubstr("|--xx--  |"));
  EXPECT_THAT(drawn(call, 8), HasSubstr("|..XX----|"));
}

TEST(Timeline, drawsSeveralOneBelowTheOtherOnOneScaleWithOneKey) {
  const SimulatedCall whole = exchange();
  SimulatedCall early = exchange();
  early.exits = {Seconds{4.0}, Seconds{4.0}};
  early.transfers.pop_back();
  const std::vector<Drawing> drawings = {{"early", &early}, {"whole", &whole}};
  EXPECT_EQ(formatTimeline(drawings, kArrivals, kTable, 8),
            "virtual rank (rank), 0 s to 8.00 s, 1.00 s per character\n"
            "early\n"
            "   0 (   1) |--ss    |\n"
            "   1 (   0) |..++    |\n"
            "whole\n"
            "   0 (   1) |--ssrr  |\n"
            "   1 (   0) |..++ss--|\n"
            ". not arrived   s sends   r receives   + receives and reduces   x = s and r   X = s and +   - waits\n");
}

TEST(Timeline, copesWithACallThatTakesNoTime) {
  SimulatedCall call;
  call.exits = {Seconds{0.0}, Seconds{0.0}};
  const Drawing drawing{"nothing", &call};
  const std::vector<Seconds> arrivals(2);
  EXPECT_THAT(formatTimeline({&drawing, 1}, arrivals, kTable, 4), HasSubstr("   1 (   0) |....|\n"));
}

TEST(Timeline, listsTransfersByRank) {
  EXPECT_EQ(formatTransfers(exchange(), kTable),
            " START     END  FROM  TO  ELEMENTS  AND\n"
            "2.00 s  4.00 s     1   0   [0, 10)  reduces\n"
            "4.00 s  6.00 s     0   1   [0, 10)  keeps\n");
}

}  // namespace
}  // namespace starling::cli
