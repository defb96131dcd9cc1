// Ranks play machines whose clocks are hours apart and drift. The clock without faults tells what is true.
#include "mpi/machine/world_clock.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "harness.h"
#include "mpi/machine/stamp_clock.h"
#include "mpi/session.h"

namespace {

int g_messages = 0;  // operations of this rank that send or receive

template <typename Function>
Function* next(const char* name) {
  ++g_messages;
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// What the library calls in this program comes here first.
extern "C" {
int PMPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm communicator) {
  return next<decltype(PMPI_Allreduce)>("PMPI_Allreduce")(in, out, count, type, op, communicator);
}
int PMPI_Gather(const void* in, int sent, MPI_Datatype in_type, void* out, int received, MPI_Datatype out_type,
                int root, MPI_Comm communicator) {
  return next<decltype(PMPI_Gather)>("PMPI_Gather")(in, sent, in_type, out, received, out_type, root, communicator);
}
int PMPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
  return next<decltype(PMPI_Bcast)>("PMPI_Bcast")(buffer, count, type, root, communicator);
}
int PMPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
               MPI_Request* request) {
  return next<decltype(PMPI_Irecv)>("PMPI_Irecv")(buffer, count, type, from, tag, communicator, request);
}
int PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
               MPI_Request* request) {
  return next<decltype(PMPI_Isend)>("PMPI_Isend")(buffer, count, type, to, tag, communicator, request);
}
int PMPI_Issend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
                MPI_Request* request) {
  return next<decltype(PMPI_Issend)>("PMPI_Issend")(buffer, count, type, to, tag, communicator, request);
}
int PMPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
  return next<decltype(PMPI_Send)>("PMPI_Send")(buffer, count, type, to, tag, communicator);
}
}

namespace starling {
namespace {

// So many neighbouring ranks play one machine.
int machineOf(int rank, int ranks_per_machine) { return rank / ranks_per_machine; }

ClockFault faultOf(int machine) { return {{-7200.5 * machine}, machine % 2 == 0 ? -50.0 : 50.0}; }

class WorldClockTest : public testing::Test {
 protected:
  void TearDown() override {
    if (world_) world_->finish();
  }

  void open(int ranks_per_machine) {
    const int machine = machineOf(worldRank(), ranks_per_machine);
    fault_ = faultOf(machine);
    clock_ = std::make_unique<MonotonicClock>(fault_);
    world_ = std::make_unique<WorldClock>(*clock_);
    identity_ = static_cast<std::uint64_t>(machine) + 1;
    world_->open(duplicate_.get(), identity_);
  }

  void expectRight(std::chrono::milliseconds later = {}) const {
    const std::int64_t time = MonotonicClock().nanoseconds() + std::chrono::nanoseconds(later).count();
    const std::int64_t local = fault_.apply(time);
    const ClockModel model = world_->model();
    EXPECT_LE(std::abs(model.toOther(local) - faultOf(0).apply(time)), model.errorAt(local));
    EXPECT_LT(model.errorAt(local), std::int64_t{3'600'000'000'000});
  }

  bool isSoEverywhere(bool is_so) const {
    int word = is_so ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &word, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return word != 0;
  }

  ClockKnowledge knowledge(bool is_agreed) const {
    return {.clock = clock_.get(), .identity = identity_, .world = world_.get(), .is_agreed = is_agreed};
  }

  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  ClockFault fault_;
  std::uint64_t identity_ = 0;
  std::unique_ptr<MonotonicClock> clock_;
  std::unique_ptr<WorldClock> world_;
};

TEST_F(WorldClockTest, knowsTheTimeOfTheFirstMachineWithinItsError) {
  for (const int ranks_per_machine : {1, 2, 3}) {
    open(ranks_per_machine);
    for (const int later : {-1000, 0, 1000, 60'000}) expectRight(std::chrono::milliseconds(later));
    world_->finish();
    world_.reset();
  }
}

TEST_F(WorldClockTest, isExactOnTheFirstMachine) {
  open(2);
  if (worldRank() < 2) {
    EXPECT_EQ(world_->model(), ClockModel{});
  }
}

TEST_F(WorldClockTest, staysRightWhenItMeasuresAnew) {
  open(2);
  for (int i = 0; i < 3; ++i) world_->synchronise();
  expectRight();
}

// Each rank comes to know the drift better than at first, when only its greatest value is known.
TEST_F(WorldClockTest, learnsTheDriftAtTheEndsOfEpochs) {
  open(2);
  bool is_known = false;
  while (!is_known) {
    MPI_Barrier(MPI_COMM_WORLD);
    world_->keepUp();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    is_known = isSoEverywhere(world_->model().drift_error < 0.95 * kGreatestDrift);
  }
  expectRight();
  expectRight(std::chrono::seconds(10));
}

TEST_F(WorldClockTest, endsWhereverItsMessagesAre) {
  for (int calls = 0; calls < 4; ++calls) {
    open(1);
    for (int i = 0; i < calls; ++i) {
      if (worldRank() % 2 == calls % 2) world_->keepUp();
      std::this_thread::sleep_for(std::chrono::milliseconds(15));
    }
    world_->finish();
    EXPECT_FALSE(world_->isOpen());
    world_.reset();
  }
}

TEST_F(WorldClockTest, isNotNeededWithinAMachine) {
  open(2);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, machineOf(worldRank(), 2), 0, &machine);
  const StampClock within = agreeOnStamps(machine, knowledge(true));
  EXPECT_TRUE(within.isKnown());
  EXPECT_EQ(within.model(), ClockModel{});
  MPI_Comm_free(&machine);
  const StampClock across = agreeOnStamps(MPI_COMM_WORLD, knowledge(true));
  EXPECT_TRUE(across.isKnown());
  EXPECT_EQ(across.model(), worldSize() <= 2 ? ClockModel{} : world_->model());
}

TEST_F(WorldClockTest, isAskedForWhereRanksMayNotKnowAlike) {
  open(1);
  EXPECT_TRUE(agreeOnStamps(MPI_COMM_WORLD, knowledge(false)).isKnown());
  ClockKnowledge less = knowledge(false);
  if (worldRank() == worldSize() - 1) less.world = nullptr;
  EXPECT_EQ(agreeOnStamps(MPI_COMM_WORLD, less).isKnown(), worldSize() == 1);
}

TEST(StampClock, sendsNothingWhereTheWorldIsOneMachine) {
  const MonotonicClock clock;
  const ClockKnowledge one{.clock = &clock, .identity = 1, .is_one_in_world = true, .is_agreed = true};
  const int before = g_messages;
  const StampClock stamps = agreeOnStamps(MPI_COMM_WORLD, one);
  for (int epoch = 0; epoch < 100; ++epoch) stamps.keepUp();
  EXPECT_EQ(g_messages, before);
  EXPECT_TRUE(stamps.isKnown());
  EXPECT_EQ(stamps.model(), ClockModel{});
  static_cast<void>(agreeOnStamps(MPI_COMM_WORLD, {.clock = &clock, .identity = 1}));
  EXPECT_GT(g_messages, before) << "messages are not counted here";
}

// Calls to which the last rank comes late, and what a session records of that.
class RecordedLateness : public WorldClockTest {
 protected:
  static constexpr int kCalls = 30;
  static constexpr std::chrono::milliseconds kLate{40};

  Batch record(const ClockKnowledge& clocks) {
    SessionServices services;
    services.clocks = clocks;
    services.communicator_id = "c";
    Session session(MPI_COMM_WORLD, std::move(services));
    for (int call = 0; call < kCalls; ++call) {
      MPI_Barrier(MPI_COMM_WORLD);
      if (worldRank() == worldSize() - 1) std::this_thread::sleep_for(kLate);
      arrivals_[static_cast<std::size_t>(call)] = MonotonicClock().nanoseconds();
      double value = 1.0;
      session.allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, {});
      EXPECT_EQ(value, worldSize());
    }
    session.advanceEnd(EpochLoop::Wait::kToEnd);
    return session.loop().learner().drain();
  }

  // Of this rank, by the clock without faults: the mean over the calls.
  double trueLateness() const {
    std::array<std::int64_t, kCalls> earliest{};
    MPI_Allreduce(arrivals_.data(), earliest.data(), kCalls, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    double sum = 0.0;
    for (std::size_t call = 0; call < kCalls; ++call)
      sum += 1e-9 * static_cast<double>(arrivals_[call] - earliest[call]);
    return sum / kCalls;
  }

  std::array<std::int64_t, kCalls> arrivals_{};
};

TEST_F(RecordedLateness, isThatOfTheCallsThoughClocksAreHoursApart) {
  open(1);
  const Batch batch = record(knowledge(true));
  std::vector<double> lateness(static_cast<std::size_t>(worldSize()));
  const double own_lateness = trueLateness();
  MPI_Gather(&own_lateness, 1, MPI_DOUBLE, lateness.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (worldRank() > 0 || worldSize() == 1) return;
  ASSERT_FALSE(batch.communicators.empty());
  EXPECT_EQ(batch.communicators.back().compared_by, kByPostArrival);
  EXPECT_GT(batch.communicators.back().clock_error.value_or(0.0), 0.0);
  EXPECT_LT(batch.communicators.back().clock_error.value_or(1e9), 1.0);
  ASSERT_EQ(batch.arrivals.size(), lateness.size());
  constexpr double kTolerance = 0.03;  // seconds: between this program's stamp and the library's others may run
  for (const ArrivalRecord& arrival : batch.arrivals) {
    EXPECT_NEAR(arrival.mean, lateness[static_cast<std::size_t>(arrival.rank)], kTolerance) << arrival.rank;
  }
  EXPECT_GT(batch.arrivals.back().mean, 0.03);
}

TEST_F(RecordedLateness, isKnownFromElapsedTimesWhereNothingIsKnownOfTheClocks) {
  open(1);
  ClockKnowledge nothing = knowledge(false);
  nothing.world = nullptr;
  const Batch batch = record(nothing);
  if (worldRank() > 0 || worldSize() == 1) return;
  ASSERT_FALSE(batch.communicators.empty());
  EXPECT_EQ(batch.communicators.back().compared_by, kByElapsed);
  EXPECT_FALSE(batch.communicators.back().clock_error.has_value());
  ASSERT_EQ(batch.arrivals.size(), static_cast<std::size_t>(worldSize()));
  const auto latest = std::ranges::max_element(batch.arrivals, {}, &ArrivalRecord::mean);
  EXPECT_EQ(latest->rank, worldSize() - 1);
  EXPECT_GT(latest->mean, 0.03);
}

}  // namespace
}  // namespace starling
