// What a session's calls make of announced arrivals. Each rank has a clock of its own that the tests set: between two
// calls it moves on by as much on all ranks, but not at the same time, so that nothing is to be learned from arrivals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cases.h"
#include "harness.h"
#include "mpi/session.h"
#include "schedule/partition.h"
#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

using Table = std::vector<std::int32_t>;

constexpr int kCount = 60;
// Sums in another order have other bits.
double inexactInput(int rank, int index) { return std::sin(1.0 + 10.0 * rank + index) * std::pow(10.0, rank % 5); }

std::vector<double> sumsInOrder(const Table& table) {
  std::vector<double> sums;
  for (int i = 0; i < kCount; ++i) {
    double sum = inexactInput(table[0], i);
    for (std::size_t place = 1; place < table.size(); ++place) sum += inexactInput(table[place], i);
    sums.push_back(sum);
  }
  return sums;
}

// Stands still until it is told otherwise, and tells when it is read.
class ObservedClock final : public Clock {
 public:
  std::int64_t nanoseconds() const override {
    if (on_next_read_) std::exchange(on_next_read_, nullptr)();
    return clock_.nanoseconds();
  }
  void advance(Seconds by) { clock_.advance(by); }
  void onNextRead(std::function<void()> action) { on_next_read_ = std::move(action); }

 private:
  ManualClock clock_;
  mutable std::function<void()> on_next_read_;
};

class SessionEdge : public testing::Test {
 protected:
  void SetUp() override { options_.algorithm = "slt"; }

  void TearDown() override {
    if (!session_) return;
    session_->advanceEnd(EpochLoop::Wait::kToEnd);
    session_.reset();
  }

  // So many calls that there is a key, and one announcement, so that all exits are stamped from here on.
  void begin() {
    SessionServices services;
    services.settings.options = options_;
    services.clocks = {.clock = &clock_, .identity = 1};
    session_ = std::make_unique<Session>(duplicate_.get(), std::move(services));
    for (int call = 0; call < 20; ++call) sums();
    session_->announce(1.0);
    sums();
    if (worldSize() == 1) return;
    ASSERT_EQ(session_->keys().size(), 1);
    ASSERT_EQ(tableInForce(), identityTable(worldSize()));
  }

  std::vector<double> sums() {
    std::vector<double> in_out;
    for (int i = 0; i < kCount; ++i) in_out.push_back(inexactInput(worldRank(), i));
    EXPECT_EQ(session_->allreduce(MPI_IN_PLACE, in_out.data(), kCount, MPI_DOUBLE, MPI_SUM, {}), MPI_SUCCESS);
    EXPECT_TRUE(isEqualOnAllRanks(hashOfBytes(in_out.data(), in_out.size() * sizeof(double)), duplicate_.get()));
    return in_out;
  }

  // Computes until this rank's clock has moved on by `at`, and announces.
  void announceAt(Seconds at, double fraction = 0.5) {
    clock_.advance(at - computed_);
    computed_ = at;
    session_->announce(fraction);
  }

  // Computes on: the clocks are equal again. Then a call.
  std::vector<double> call() {
    clock_.advance(Seconds{1000.0} - computed_);
    computed_ = {};
    return sums();
  }

  Table tableInForce() const {
    const std::span<const std::int32_t> table = session_->tableOf(0);
    return table.empty() ? identityTable(worldSize()) : Table(table.begin(), table.end());
  }

  void expectOrder(const std::vector<double>& sums, const Table& table) const {
    EXPECT_EQ(sums, sumsInOrder(table)) << "not combined in the announced order";
    if (worldSize() > 1) {
      EXPECT_EQ(tableInForce(), table);
    }
  }

  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  ObservedClock clock_;
  Options options_;
  std::unique_ptr<Session> session_;
  Seconds computed_;  // since the latest call
};

// All ranks in their order, but this one last.
Table lastInTable(int late) {
  Table table;
  for (int rank = 0; rank < worldSize(); ++rank) {
    if (rank != late) table.push_back(rank);
  }
  table.push_back(late);
  return table;
}

TEST_F(SessionEdge, ordersTheNextCallByAnnouncementsAndOnlyThat) {
  begin();
  for (int late = 0; late < worldSize(); ++late) {
    announceAt({worldRank() == late ? 20.0 : 10.0});
    expectOrder(call(), lastInTable(late));
    expectOrder(call(), identityTable(worldSize()));
  }
  if (worldSize() > 8) return;  // the differences would pass for noise
  Table reversed = identityTable(worldSize());
  std::reverse(reversed.begin(), reversed.end());
  announceAt({10.0 * (worldSize() - worldRank())});
  expectOrder(call(), reversed);
}

// Ranks that left the latest call far apart, and whose computations begin and last alike.
TEST_F(SessionEdge, countsFromWhereTheComputationIsSaidToBegin) {
  begin();
  clock_.advance({5.0 * (worldSize() - worldRank())});
  session_->announce(0.0);
  clock_.advance({10.0});
  session_->announce(0.5);
  expectOrder(sums(), identityTable(worldSize()));
  // The latest exit counts again.
  announceAt({worldRank() == 0 ? 20.0 : 10.0});
  expectOrder(call(), lastInTable(0));
}

TEST_F(SessionEdge, ordersChangeTheBits) {
  if (worldSize() < 3)
    GTEST_SKIP() << "there have to be three ranks";  // else the tests here could not fail by the sums
  EXPECT_NE(sumsInOrder(lastInTable(0)), sumsInOrder(identityTable(worldSize())));
}

// Where all but one come early enough for all pre-steps, each block but the last starts at the first place of the table
// (in a ring each starts at a place of its own).
TEST_F(SessionEdge, tellsAlgorithmsHowLateRanksAre) {
  options_.algorithm = "prr:tau_ns=1000";
  begin();
  const int ranks = worldSize();
  announceAt({worldRank() == 0 ? 20.0 : 10.0});
  const std::vector<double> sums = call();
  for (int block = 0; block < ranks; ++block) {
    Table order = lastInTable(0);
    if (block == ranks - 1) std::rotate(order.begin(), order.end() - 1, order.end());
    const std::vector<double> expected = sumsInOrder(order);
    const Block elements = partOf({0, kCount}, ranks, block);
    for (std::int64_t i = elements.offset; i < elements.offset + elements.count; ++i) {
      const auto index = static_cast<std::size_t>(i);
      EXPECT_EQ(sums[index], expected[index]) << "block " << block << ", element " << i;
    }
  }
}

TEST_F(SessionEdge, takesTheFractionForTheRestOfTheComputation) {
  begin();
  announceAt({10.0}, worldRank() == 0 ? 0.1 : 0.5);
  expectOrder(call(), lastInTable(0));
  announceAt({worldRank() == 0 ? 10.0 : 9.0}, worldRank() == 0 ? 1.0 : 0.9);
  expectOrder(call(), identityTable(worldSize()));
}

TEST_F(SessionEdge, lastAnnouncementCountsUpToTheEighth) {
  begin();
  for (const int announcements : {2, 3, 7, 8}) {
    for (int i = 1; i < announcements; ++i) announceAt({worldRank() == 0 ? 20.0 + i : 10.0 + i});
    announceAt({worldRank() == worldSize() - 1 ? 100.0 : 50.0});
    expectOrder(call(), identityTable(worldSize()));
  }
  for (int i = 0; i < 8; ++i) announceAt({worldRank() == 0 ? 20.0 + i : 10.0 + i});
  for (int i = 0; i < 4; ++i) announceAt({worldRank() == worldSize() - 1 ? 100.0 : 50.0});
  expectOrder(call(), lastInTable(0));
}

TEST_F(SessionEdge, neverWaitsForAnotherRank) {
  begin();
  for (const bool first_announces_first : {true, false}) {
    const bool is_first = worldRank() == 0;
    if (is_first == first_announces_first) announceAt({is_first ? 20.0 : 10.0});
    // The others get here only when those have announced.
    if (first_announces_first) {
      int token = 0;
      MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } else {
      int token = 1;
      int tokens = 0;
      MPI_Reduce(&token, &tokens, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    if (is_first != first_announces_first) announceAt({is_first ? 20.0 : 10.0});
    expectOrder(call(), lastInTable(0));
  }
}

TEST_F(SessionEdge, worksWhereFewCallsAreStamped) {
  begin();
  for (int i = 0; i < 600; ++i) sums();  // epochs are at their longest by now
  for (int i = 0; i < 30; ++i) {
    announceAt({worldRank() == 0 ? 20.0 : 10.0});
    expectOrder(call(), lastInTable(0));
  }
}

TEST_F(SessionEdge, keepsRankOrderWhereTheOperationDoesNotCommute) {
  begin();
  const UserOperations operations;
  const Case<std::int64_t> expected = operations.nonCommutative();
  for (int call = 0; call < 20; ++call) {
    announceAt({10.0 * (worldSize() - worldRank())});
    std::vector<std::int64_t> values = expected.inputs(worldRank(), 100);
    session_->allreduce(MPI_IN_PLACE, values.data(), 100, expected.datatype, expected.op, {});
    EXPECT_EQ(expected.wrongElements(values, worldSize()), 0);
    clock_.advance(Seconds{1000.0} - computed_);
    computed_ = {};
  }
}

TEST_F(SessionEdge, leavesReproducibleCallsAlone) {
  options_.reproducible = true;
  begin();
  const std::vector<double> before = sums();
  for (int late = 0; late < worldSize(); ++late) {
    announceAt({worldRank() == late ? 20.0 : 10.0});
    EXPECT_EQ(call(), before);
  }
}

// Else a wait for announcements would pass for computation, and early ranks for late ones.
TEST_F(SessionEdge, arrivesBeforeItWaitsForAnnouncements) {
  options_.longest_epoch = 4;  // all calls are stamped
  begin();
  int token = 0;
  if (worldRank() != 0) {
    announceAt({10.0});
    clock_.onNextRead([&] { MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); });
  } else {
    // The others go on when this rank has announced.
    for (int rank = 1; rank < worldSize(); ++rank) {
      MPI_Recv(&token, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    announceAt({20.0});
  }
  expectOrder(call(), lastInTable(0));
}

}  // namespace
}  // namespace starling
