#include "mpi/exchange/agreement.h"

#include <gtest/gtest.h>

#include <bit>

#include "tuner/call_summary.h"
#include "tuner/plan.h"

namespace starling {
namespace {

// In a binomial tree no rank has more partners than the number of ranks can be halved.
int partners(int ranks) { return std::bit_width(static_cast<unsigned>(ranks - 1)); }

TEST(Agreement, sendsARankNoMoreThanIsAllowedHoweverManyRanksThereAre) {
  for (int ranks = 2; ranks <= 16'384; ranks += ranks < 1100 ? 1 : 7) {
    const int summaries = samplesPerEpoch(ranks) * static_cast<int>(sizeof(CallSummary));
    EXPECT_GE(samplesPerEpoch(ranks), 1);
    EXPECT_LE(partners(ranks) * (kComparedBytes + summaries), kBytesPerEpoch)
        << ranks << " ranks, on the way to rank 0";
    EXPECT_LE(partners(ranks) * (kComparedBytes + static_cast<int>(decisionBytes(ranks))), kBytesPerEpoch)
        << ranks << " ranks, on the way back";
    EXPECT_GE(decisionBytes(ranks), kLeastDecisionBytes);
  }
}

TEST(Agreement, tellsOfEnoughCallsToLearnFrom) {
  EXPECT_EQ(samplesPerEpoch(2), 32);
  EXPECT_GE(samplesPerEpoch(8), 8);
  EXPECT_GE(samplesPerEpoch(64), 5);
  EXPECT_GE(samplesPerEpoch(1024), 3);
  EXPECT_GE(samplesPerEpoch(10'240), 2);
}

}  // namespace
}  // namespace starling
