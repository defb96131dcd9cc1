// That an algorithm that is planned, or foretold, really makes the calls: the memory that it needs is taken, agreed on
// and found to be enough, whatever the length of the vectors.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cases.h"
#include "harness.h"
#include "mpi/execution/call_kind.h"
#include "mpi/machine/probed_costs.h"
#include "mpi/machine/topology.h"
#include "mpi/session.h"

namespace starling {
namespace {

// Whoever looks at it finds that a millisecond has passed.
class HastyClock final : public Clock {
 public:
  std::int64_t nanoseconds() const override { return passed_ns_ += 1'000'000; }

 private:
  mutable std::int64_t passed_ns_ = 0;
};

class PlannedRows : public testing::Test {
 protected:
  SessionServices services() {
    SessionServices services;
    services.clocks = {.clock = &clock_, .identity = 1};
    return services;
  }
  // How many calls the row made on rank 0, which has all records, of so many of a session on a duplicate of the world.
  std::int64_t callsWith(const Algorithm& row, int count, int calls, const SessionServices& services) {
    Session session(duplicate_.get(), services);
    std::vector<double> sums(static_cast<std::size_t>(count));
    for (int call = 0; call < calls; ++call) {
      sums.assign(sums.size(), 1.0);
      EXPECT_EQ(session.allreduce(MPI_IN_PLACE, sums.data(), count, MPI_DOUBLE, MPI_SUM, {}), MPI_SUCCESS);
      EXPECT_EQ(sums, std::vector<double>(sums.size(), worldSize())) << row.name;
    }
    return callsThatAreRecorded(row, session);
  }
  static std::int64_t callsThatAreRecorded(const Algorithm& row, Session& session) {
    session.advanceEnd(EpochLoop::Wait::kToEnd);
    std::int64_t calls = 0;
    for (const ObservationRecord& seen : session.loop().learner().drain().observations) {
      if (seen.choice.starts_with(row.name)) calls += seen.calls;
    }
    return calls;
  }
  static PolicyRecord policyFor(const Algorithm& row, int count) {
    PolicyRecord policy;
    policy.site = "any";
    policy.communicator_size = worldSize();
    policy.size_class = sizeClass(count * std::int64_t{sizeof(double)});
    policy.type = "double";
    policy.operation = "sum";
    policy.choice = row.name;
    return policy;
  }
  MPI_Comm communicator() const { return duplicate_.get(); }

 private:
  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  // It stands still, so that no row is slower than another.
  ManualClock clock_;
};

TEST_F(PlannedRows, makeTheirCallsWithVectorsOfAnyLength) {
  constexpr int kCalls = 60;  // for the plan to be in force, and its memory to be agreed on
  for (const int count : {1, 3, 7, 100, 4097}) {
    for (const Algorithm& row : catalogue()) {
      if (row.build == nullptr || !isValid(row, {worldSize(), count})) continue;
      SessionServices services = this->services();
      services.policies = std::make_shared<const std::vector<PolicyRecord>>(1, policyFor(row, count));
      const bool is_tuned = worldSize() > 1;
      const bool has_records = worldRank() == 0;
      EXPECT_EQ(callsWith(row, count, kCalls, services) > 0, is_tuned && has_records)
          << row.name << ", " << count << " doubles";
    }
  }
}

TEST_F(PlannedRows, ofEarlierRunsMakeTheFirstCallsThatAreTuned) {
  constexpr int kCount = 4097;
  constexpr int kTuned = 2;
  const Algorithm& row = *findAlgorithm("rabenseifner");
  const HastyClock clock;  // by which the cost model predicts something
  SessionServices services = this->services();
  services.clocks.clock = &clock;
  PolicyRecord policy = policyFor(row, kCount);
  policy.gain = 100.0;
  policy.compared_by = kByPostArrival;
  services.policies = std::make_shared<const std::vector<PolicyRecord>>(1, policy);
  const auto prepared_after = static_cast<int>(Session::callsBeforePreparation(services.settings.options));
  const bool has_records = worldSize() > 1 && worldRank() == 0;
  EXPECT_EQ(callsWith(row, kCount, prepared_after + kTuned, services), has_records ? kTuned : 0);
  // Where one rank does not know of them none runs them.
  services.policies.reset();
  if (worldRank() != worldSize() - 1) services.policies = std::make_shared<const std::vector<PolicyRecord>>(1, policy);
  EXPECT_EQ(callsWith(row, kCount, prepared_after + kTuned, services), 0);
}

// The first trial of a run is made in the calls after the first plan has come, with the memory that it needs.
TEST_F(PlannedRows, areTriedAsSoonAsThatIsPlanned) {
  constexpr int kCount = 4097;
  constexpr int kEpoch = 2;  // of the calls in which the plan is made, and likewise of those that follow it
  const HastyClock clock;
  SessionServices services = this->services();
  services.clocks.clock = &clock;
  Session session(communicator(), services);
  std::vector<double> sums(kCount);
  const auto prepared_after = static_cast<int>(Session::callsBeforePreparation(services.settings.options));
  for (int call = 0; call < prepared_after + 2 * kEpoch; ++call) {
    sums.assign(sums.size(), 1.0);
    EXPECT_EQ(session.allreduce(MPI_IN_PLACE, sums.data(), kCount, MPI_DOUBLE, MPI_SUM, {}), MPI_SUCCESS);
  }
  session.advanceEnd(EpochLoop::Wait::kToEnd);
  std::int64_t trials = 0;
  for (const ObservationRecord& seen : session.loop().learner().drain().observations) {
    if (!seen.exploration) continue;
    EXPECT_NE(seen.choice, formatChoice(kNativeChoice)) << "the memory of the trial was not agreed on yet";
    trials += seen.calls;
  }
  EXPECT_EQ(trials > 0, worldSize() > 1 && worldRank() == 0);
}

// A communicator whose shape is known, of which another one runs the row of each test.
class ForetoldRows : public PlannedRows {
 protected:
  ForetoldRows() {
    services_ = services();
    services_.probed_costs = &probed_costs_;
    const std::int64_t calls = callsWith(*findAlgorithm(kNativeAlgorithm), 1, preparedAfter(), services_);
    EXPECT_EQ(calls > 0, worldSize() > 1 && worldRank() == 0);
    // Whether ranks share memory follows from the machine.
    const std::vector<std::int32_t> nodes = gatherNodes(communicator());
    for (const bool shares_memory : {false, true}) {
      ranks_.push_back({.ranks = worldSize(), .placement = hashOfPlacement(nodes, shares_memory)});
    }
  }
  int preparedAfter() const { return static_cast<int>(Session::callsBeforePreparation(services_.settings.options)); }
  // The last rank takes the first place, and is late.
  void foretell(const Algorithm& row, int count, const CallLimit& limit = {}) {
    const Signature signature = classifyCall(count, MPI_DOUBLE, MPI_SUM).signature;
    const LatestKeys::Arranged runs{{row.id, defaultParameters(row)}, {{worldSize() - 1, 0, 1000}}, limit};
    for (const KeyShape& ranks : ranks_) {
      const KeyShape shape{ranks.ranks, sizeClass(signature.bytes()), ranks.placement};
      services_.shared->latest.note({shape, {signature.type, signature.operation, "elsewhere"}, runs, nullptr});
    }
  }
  std::size_t foretoldKinds() const {
    std::size_t kinds = 0;
    for (const KeyShape& ranks : ranks_) kinds += services_.shared->latest.latestOn(ranks, 8).size();
    return kinds;
  }

  ProbedCosts probed_costs_;
  SessionServices services_;
  std::vector<KeyShape> ranks_;  // of which one is the world
};

TEST_F(ForetoldRows, makeTheFirstCallsThatAreTuned) {
  constexpr int kForetold = 2;
  for (const int count : {1, 3, 7, 100, 4097}) {
    for (const Algorithm& row : catalogue()) {
      if (row.build == nullptr || !isValid(row, {worldSize(), count})) continue;
      foretell(row, count);
      const bool has_records = worldSize() > 1 && worldRank() == 0;
      EXPECT_EQ(callsWith(row, count, preparedAfter() + kForetold, services_), has_records ? kForetold : 0)
          << row.name << ", " << count << " doubles";
    }
  }
}

// Memory for them is taken when the first has come.
TEST_F(ForetoldRows, makeCallsWithLongVectorsFromTheSecondEpochThatIsTunedOn) {
  constexpr int kCount = (16 << 20) / sizeof(double) + 1;
  const Algorithm& row = *findAlgorithm("rabenseifner");
  foretell(row, kCount);
  const bool has_records = worldSize() > 1 && worldRank() == 0;
  EXPECT_EQ(callsWith(row, kCount, preparedAfter() + 1, services_), 0);
  EXPECT_EQ(callsWith(row, kCount, preparedAfter() + 4, services_) > 0, has_records);
}

TEST_F(ForetoldRows, areForCallsWithTheirTypeAndOperationAlone) {
  constexpr int kCount = 5;
  const Algorithm& row = *findAlgorithm("recursive_doubling");
  foretell(row, kCount);
  Session session(communicator(), services_);
  const UserOperations operations;
  const Case<std::int64_t> in_order = operations.nonCommutative();
  for (int call = 0; call < preparedAfter() + 2; ++call) {
    std::vector<std::int64_t> values = in_order.inputs(worldRank(), kCount);
    EXPECT_EQ(session.allreduce(MPI_IN_PLACE, values.data(), kCount, in_order.datatype, in_order.op, {}), MPI_SUCCESS);
    EXPECT_EQ(in_order.wrongElements(values, worldSize()), 0) << "the last rank would come first";
  }
  std::vector<double> largest(kCount, worldRank());
  EXPECT_EQ(session.allreduce(MPI_IN_PLACE, largest.data(), kCount, MPI_DOUBLE, MPI_MAX, {}), MPI_SUCCESS);
  EXPECT_EQ(largest, std::vector<double>(kCount, worldSize() - 1));
  EXPECT_EQ(callsThatAreRecorded(row, session), 0);
}

TEST_F(ForetoldRows, areStoppedOnAllRanksWhereTheyAreSlowAndToldToNobodyAgain) {
  constexpr int kCount = 100;
  const Algorithm& row = *findAlgorithm("recursive_doubling");
  foretell(row, kCount, {.slow_ns = 1});  // less than any call takes
  const HastyClock clock;
  services_.clocks.clock = &clock;
  const bool has_records = worldSize() > 1 && worldRank() == 0;
  EXPECT_EQ(foretoldKinds(), 2U);
  constexpr int kCalls = 6;  // the latest one is judged when others have ended
  const std::int64_t calls = callsWith(row, kCount, preparedAfter() + kCalls, services_);
  EXPECT_EQ(calls >= CallLimit::kSlowCalls && calls < kCalls, has_records) << calls;
  EXPECT_EQ(foretoldKinds(), has_records ? 1U : 2U);
  EXPECT_EQ(callsWith(row, kCount, preparedAfter() + 1, services_), 0);
}

}  // namespace
}  // namespace starling
