// Calls that are only counted, where the MPI library's own allreduce is best and nothing is left to learn: all ranks
// have to let the same calls rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cases.h"
#include "harness.h"
#include "mpi/machine/site_names.h"
#include "mpi/session.h"

namespace starling {
namespace {

constexpr std::int64_t kTickNs = 1000;

// Each reading takes a microsecond, or what is set, so that all that is timed has taken some.
class TickingClock final : public Clock {
 public:
  std::int64_t nanoseconds() const override { return now_ns_ += tick_ns_; }
  void setTick(std::int64_t tick_ns) { tick_ns_ = tick_ns; }
  void advance(Seconds by) { now_ns_ += toNanoseconds(by); }

 private:
  mutable std::int64_t now_ns_ = 0;
  std::int64_t tick_ns_ = kTickNs;
};

PolicyRecord policyOf(const char* choice, std::int32_t size_class) {
  PolicyRecord policy;
  policy.site = "any";
  policy.communicator_size = worldSize();
  policy.size_class = size_class;
  policy.type = "int64";
  policy.operation = "sum";
  policy.choice = choice;
  return policy;
}

class SessionRest : public testing::Test {
 protected:
  void SetUp() override {
    // Vectors of 8 numbers and of 1,024 are known to be the MPI library's, those of 100 to be for shared memory.
    const std::vector<PolicyRecord> policies{policyOf("native", 6), policyOf("native", 13), policyOf("node", 10)};
    policies_ = std::make_shared<const std::vector<PolicyRecord>>(policies);
    SessionServices services;
    services.policies = policies_;
    start(std::move(services));
  }
  void TearDown() override { end(); }

  void start(SessionServices services) {
    services.clocks = {.clock = &clock_, .identity = 1};
    session_ = std::make_unique<Session>(duplicate_.get(), std::move(services));
  }
  void end() {
    session_->advanceEnd(EpochLoop::Wait::kToEnd);
    session_.reset();
  }

  // Does what the C interface does. Returns whether the call rested.
  bool call(int count, MPI_Datatype type = MPI_INT64_T, MPI_Op op = MPI_SUM, int expected_code = MPI_SUCCESS) {
    std::vector<std::int64_t> in(static_cast<std::size_t>(count), worldRank() + made_);
    std::vector<std::int64_t> out(in.size());
    const RestingCall* const resting = session_->restingCall(count, type, op);
    const bool rests = resting != nullptr;
    const int code = rests ? session_->allreduceAtRest(*resting, in.data(), out.data(), count, type, op, origin_)
                           : session_->allreduce(in.data(), out.data(), count, type, op, origin_);
    if (rests && runsInMemory(resting->choice.algorithm)) ++rested_in_memory_;
    EXPECT_EQ(code == MPI_SUCCESS, expected_code == MPI_SUCCESS);
    if (code == MPI_SUCCESS) {
      const std::int64_t ranks = worldSize();
      if (op == MPI_SUM) {
        EXPECT_EQ(out.back(), ranks * (ranks - 1) / 2 + ranks * made_);
      }
      ++made_;
    }
    return rests;
  }

  int callUntilRest(int count) {
    for (int calls = 1; calls <= 2000; ++calls) {
      if (call(count)) return calls;
    }
    return 0;
  }

  // Goes on to the first call after a rest, with which an epoch begins in which others are to rest.
  void passARest(int count) {
    ASSERT_GT(callUntilRest(count), 0);
    for (int calls = 0; call(count); ++calls) ASSERT_LT(calls, 40'000);
  }

  // Makes calls, none of which may rest.
  int callsToEpochEnd(int count) {
    session_->loop().takeEpochEnd();
    for (int calls = 1; calls <= 1000; ++calls) {
      EXPECT_FALSE(call(count));
      if (session_->loop().takeEpochEnd()) return calls;
    }
    return 1001;
  }

  // Here all algorithms take the microsecond of one reading, which is no reason to stay with any.
  void letNativeTakeLonger() {
    native_clock_ = &clock_;
    origin_.native = [](const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm communicator) {
      native_clock_->advance(Seconds{7e-6});
      return PMPI_Allreduce(in, out, count, type, op, communicator);
    };
  }

  static int takeOneMillisecond(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                                MPI_Comm communicator) {
    native_clock_->advance(Seconds{1e-3});
    return PMPI_Allreduce(in, out, count, type, op, communicator);
  }

  void expectEqualOnAllRanks(std::uint64_t value) { EXPECT_TRUE(isEqualOnAllRanks(value, MPI_COMM_WORLD)); }

  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  TickingClock clock_;
  static inline TickingClock* native_clock_ = nullptr;  // where native takes longer: the test's own
  std::unique_ptr<Session> session_;
  std::shared_ptr<const std::vector<PolicyRecord>> policies_;
  CallOrigin origin_;
  std::int64_t made_ = 0;
  std::int64_t rested_in_memory_ = 0;
};

TEST_F(SessionRest, mostCallsRestOnceNothingIsLeftToLearn) {
  const Watch watch("calls of one kind");
  std::uint64_t rested = 0;
  std::uint64_t pattern = 0;
  for (int i = 0; i < 3000; ++i) {
    const bool rests = call(8);
    rested += rests ? 1 : 0;
    pattern = mixHash(pattern, rests ? 1 : 0);
  }
  expectEqualOnAllRanks(pattern);
  if (worldSize() > 1) {
    EXPECT_GT(rested, 1500U);
  }
}

// What was to rest in an epoch would run what was planned when it began.
TEST_F(SessionRest, nothingRestsAfterAStopInTheEpoch) {
  const Watch watch("a stop before a rest");
  if (worldSize() == 1) GTEST_SKIP() << "calls of one rank do not rest";
  letNativeTakeLonger();
  int stops = 0;
  for (const int fast_calls : {0, 1, 2, 5, 9}) {
    end();
    clock_.setTick(kTickNs);
    SessionServices services;
    services.policies = policies_;
    start(std::move(services));
    for (int i = 0; i < 300; ++i) call(100);
    passARest(100);
    for (int i = 0; i < fast_calls; ++i) call(100);
    clock_.setTick(100 * kTickNs);
    const KeyTable::Entry& entry = session_->keys().entry(0);
    while (!entry.is_stopped && !call(100)) {
    }
    if (!entry.is_stopped) continue;
    ++stops;
    EXPECT_LE(callsToEpochEnd(100), EpochLengths::kCallsBeforeRest) << fast_calls;
  }
  EXPECT_GT(stops, 0) << "some of them are looked at soon enough";
}

TEST_F(SessionRest, nothingRestsInAnEpochInWhichAKeyAppears) {
  const Watch watch("a key before a rest");
  if (worldSize() == 1) GTEST_SKIP() << "calls of one rank do not rest";
  for (int i = 0; i < 2000; ++i) call(8);
  passARest(8);
  call(5000);
  EXPECT_LE(callsToEpochEnd(8), EpochLengths::kCallsBeforeRest);
}

TEST_F(SessionRest, callsRestWhereTheirAlgorithmIsForced) {
  const Watch watch("forced algorithms");
  for (const char* forced : {"native", "node", "ring"}) {
    end();
    SessionServices services;
    services.settings.options.algorithm = forced;
    start(std::move(services));
    rested_in_memory_ = 0;
    std::int64_t rested = 0;
    for (int i = 0; i < 1000; ++i) rested += call(64) ? 1 : 0;
    expectEqualOnAllRanks(static_cast<std::uint64_t>(rested));
    if (worldSize() == 1) continue;
    const std::string_view name = forced;
    EXPECT_EQ(rested > 500, name != "ring") << name;
    EXPECT_EQ(rested_in_memory_, name == "node" ? rested : 0) << name;
  }
}

TEST_F(SessionRest, callsThroughSharedMemoryRestToo) {
  const Watch watch("calls through shared memory");
  letNativeTakeLonger();
  std::uint64_t pattern = 0;
  for (int i = 0; i < 3000; ++i) pattern = mixHash(pattern, call(100) ? 1 : 0);
  expectEqualOnAllRanks(pattern);
  if (worldSize() > 1) {
    EXPECT_GT(rested_in_memory_, 1000);
  }
}

TEST_F(SessionRest, anotherKindOfCallEndsTheRestOnAllRanks) {
  const Watch watch("calls of several kinds");
  std::uint64_t pattern = 0;
  for (int round = 0; round < 6; ++round) {
    const int until_rest = callUntilRest(8);
    if (worldSize() > 1) {
      EXPECT_GT(until_rest, 0);
    }
    EXPECT_FALSE(call(2000 << round)) << "nobody knows vectors of that size";
    for (int i = 0; i < 5; ++i) pattern = mixHash(pattern, call(1024) ? 1 : 0);
  }
  expectEqualOnAllRanks(pattern);
}

TEST_F(SessionRest, ranksAgreeSoonWhereCallsHaveBecomeLong) {
  const Watch watch("calls that become long");
  // Long enough for long rests.
  for (int i = 0; i < 4000; ++i) call(8);
  int longest = 0;
  int rests = 0;
  for (int i = 0; i < 6000; ++i) {
    clock_.advance({0.01});
    rests = call(8) ? rests + 1 : 0;
    longest = std::max(longest, rests);
  }
  // One may have begun when calls were short.
  EXPECT_LE(longest, RestStretch::kLongestPart + 1);
  longest = 0;
  for (int i = 0; i < 1000; ++i) {
    clock_.advance({0.01});
    rests = call(8) ? rests + 1 : 0;
    longest = std::max(longest, rests);
  }
  EXPECT_LE(longest, RestStretch::kFirstPart + 1);
  expectEqualOnAllRanks(static_cast<std::uint64_t>(longest));
}

TEST_F(SessionRest, aCallThatMpiRefusesOnOneRankCountsNowhere) {
  const Watch watch("a refused call");
  // Open MPI tells the world's error handler of some arguments.
  for (MPI_Comm communicator : {duplicate_.get(), MPI_COMM_WORLD}) {
    MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  }
  callUntilRest(8);
  // No rank else makes these calls: the operation is not for the type, and the memory is no memory.
  if (worldRank() == 0) {
    call(8, MPI_DOUBLE, MPI_BAND, MPI_ERR_OP);
    std::int64_t number = 0;
    const RestingCall* const resting = session_->restingCall(8, MPI_INT64_T, MPI_SUM);
    EXPECT_EQ(resting != nullptr, worldSize() > 1);
    if (resting != nullptr) {
      EXPECT_NE(session_->allreduceAtRest(*resting, &number, &number, 8, MPI_INT64_T, MPI_SUM, {}), MPI_SUCCESS);
    }
  }
  std::uint64_t pattern = 0;
  for (int i = 0; i < 1500; ++i) pattern = mixHash(pattern, call(8) ? 1 : 0);
  expectEqualOnAllRanks(pattern);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST_F(SessionRest, operationsOfTheProgramRestToo) {
  const Watch watch("user operations");
  std::uint64_t pattern = 0;
  for (int round = 0; round < 3; ++round) {
    // Handles may come back for something else, and on each rank for something of its own.
    const UserOperations operations;
    const MPI_Op op = operations.commutative().op;
    for (int i = 0; i < 300; ++i) pattern = mixHash(pattern, call(8, MPI_INT64_T, op) ? 1 : 0);
  }
  expectEqualOnAllRanks(pattern);
}

TEST_F(SessionRest, aProgramThatAnnouncesIsListenedToAtEveryCall) {
  const Watch watch("announcements");
  callUntilRest(8);
  session_->announce(0.5);
  EXPECT_FALSE(call(8));
  for (int i = 0; i < 500; ++i) {
    EXPECT_FALSE(call(8));
    if (i % 7 == 0) session_->announce(1.0);
  }
}

TEST_F(SessionRest, allCallsAreCountedInTheRecords) {
  const Watch watch("records");
  std::int64_t counted = 0;
  for (int i = 0; i < 2345; ++i) call(8);
  session_->park();
  EXPECT_TRUE(session_->advanceEnd(EpochLoop::Wait::kToEnd));
  for (const KeyRecord& key : session_->loop().learner().drain().keys) counted += key.calls;
  if (worldSize() > 1 && worldRank() == 0) {
    EXPECT_EQ(counted, made_);
  }
}

// One of the few calls that are looked at may wait for a rank, as those that rest do not.
TEST_F(SessionRest, callsAtRestTookNoLongerThanTimePassed) {
  const Watch watch("time at rest");
  native_clock_ = &clock_;
  const Seconds begin = clock_.now();
  for (int i = 0; i < 5000; ++i) {
    const bool rests = session_->restingCall(8, MPI_INT64_T, MPI_SUM) != nullptr;
    origin_.native = rests ? PMPI_Allreduce : takeOneMillisecond;
    call(8);
  }
  origin_.native = PMPI_Allreduce;
  const Seconds passed = clock_.now() - begin;
  session_->park();
  EXPECT_TRUE(session_->advanceEnd(EpochLoop::Wait::kToEnd));
  if (worldSize() == 1 || worldRank() != 0) return;
  std::optional<double> seconds;
  for (const KeyRecord& key : session_->loop().learner().drain().keys) {
    if (key.id.size_class == 6) seconds = key.seconds;
  }
  ASSERT_TRUE(seconds);
  // What was looked at stands for its epoch, too.
  EXPECT_LE(*seconds, 1.5 * passed.value);
  EXPECT_GE(*seconds, 0.1 * passed.value);
}

TEST_F(SessionRest, callsAreCountedWhereTheyWereMade) {
  const Watch watch("records by site and size");
  constexpr std::array<LocalSite, 2> kSites{41, 42};
  std::map<std::pair<LocalSite, int>, std::int64_t> made;
  const auto calls = [&](LocalSite site, int count, int times) {
    origin_.return_address = site;
    for (int i = 0; i < times; ++i) call(count);
    made[{site, count}] += times;
  };
  for (std::size_t i = 0; i < 60; ++i) calls(kSites[i % 2], 8, 1);
  calls(kSites[0], 1024, 40);
  // Most of these rest, the few of each block, too.
  for (int block = 0; block < 9; ++block) {
    calls(kSites[0], 8, 400);
    calls(kSites[1], 8, 7);
    calls(kSites[0], 1024, 11);
  }
  session_->park();
  EXPECT_TRUE(session_->advanceEnd(EpochLoop::Wait::kToEnd));
  const Batch batch = session_->loop().learner().drain();
  if (worldSize() == 1 || worldRank() != 0) return;
  for (const auto& [place, calls_made] : made) {
    const std::int32_t size_class = place.second == 8 ? 6 : 13;
    const std::string site = siteOfAddress(place.first).identity;
    std::int64_t counted = 0;
    for (const KeyRecord& key : batch.keys) {
      if (key.id.site == site && key.id.size_class == size_class) counted += key.calls;
    }
    EXPECT_EQ(counted, calls_made) << site << " " << place.second;
  }
}

TEST_F(SessionRest, aPlaceThatFirstCallsWhileCallsRestIsLookedAt) {
  const Watch watch("calls of a new place");
  origin_.return_address = 41;
  for (int i = 0; i < 2000; ++i) call(8);
  origin_.return_address = 42;
  std::uint64_t pattern = 0;
  for (int i = 0; i < 4000; ++i) pattern = mixHash(pattern, call(8) ? 1 : 0);
  expectEqualOnAllRanks(pattern);
  // A place with fewer calls than it takes to end a rest.
  origin_.return_address = 43;
  std::int64_t unseen = 0;
  for (int i = 0; i < 30; ++i) unseen += call(8) ? 1 : 0;
  session_->park();
  EXPECT_TRUE(session_->advanceEnd(EpochLoop::Wait::kToEnd));
  std::map<std::string, KeyRecord> records;
  for (const KeyRecord& key : session_->loop().learner().drain().keys) records[key.id.site] = key;
  if (worldSize() == 1 || worldRank() != 0) return;
  const auto record_of = [&](LocalSite site) { return records[siteOfAddress(site).identity]; };
  EXPECT_EQ(record_of(41).calls, 2000);
  EXPECT_EQ(record_of(42).calls, 4000);
  EXPECT_TRUE(record_of(42).seconds.has_value()) << "some of them were looked at";
  EXPECT_EQ(record_of(43).calls, 30);
  EXPECT_EQ(record_of(43).seconds.has_value(), unseen < 30);
}

}  // namespace
}  // namespace starling
