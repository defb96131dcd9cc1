// Calls that repeat: all ranks have to count them alike, or they would follow different plans in one call.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "harness.h"
#include "mpi/execution/call_kind.h"
#include "mpi/session.h"
#include "tuner/placement.h"

namespace starling {
namespace {

constexpr Seconds kLate{10e-3};
constexpr Seconds kBetween{100e-3};  // from the first arrival of a call to that of the next one

// The first reading in a call is this rank's arrival, and all ranks leave together, whenever the call really ends.
class StagedClock final : public Clock {
 public:
  std::int64_t nanoseconds() const override {
    if (std::exchange(is_before_arrival_, false)) return arrival_ns_;
    return exit_ns_ += 1000;
  }
  void stageCall(Seconds arrival, Seconds exit) {
    is_before_arrival_ = true;
    arrival_ns_ = toNanoseconds(arrival);
    exit_ns_ = toNanoseconds(exit);
  }

 private:
  mutable bool is_before_arrival_ = false;
  std::int64_t arrival_ns_ = 0;
  mutable std::int64_t exit_ns_ = 0;
};

class SessionCycle : public testing::Test {
 protected:
  void SetUp() override {
    SessionServices services;
    services.clocks = {.clock = &clock_, .identity = 1};
    session_ = std::make_unique<Session>(duplicate_.get(), std::move(services));
  }
  void TearDown() override {
    session_->advanceEnd(EpochLoop::Wait::kToEnd);
    session_.reset();
  }

  // Makes a call in which the given rank is late; nobody if it is negative. The MPI library takes five times as long as
  // anything else.
  void call(std::int32_t late_rank, const CallOrigin& origin = {}) {
    const Signature signature = classifyCall(kCount, MPI_INT64_T, MPI_SUM).signature;
    const KeyTable::Next next = session_->keys().next(keyOf(session_->loop().predict(origin, signature), signature));
    note(next);
    const bool is_native = next.planned.choice.algorithm == kNativeAlgorithm;
    const Seconds begin = static_cast<double>(++made_) * kBetween;
    clock_.stageCall(begin + (worldRank() == late_rank ? kLate : Seconds{}),
                     begin + kLate + (is_native ? Seconds{5e-3} : Seconds{1e-3}));
    std::vector<std::int64_t> in(kCount, worldRank() + made_);
    std::vector<std::int64_t> out(kCount);
    const RestingCall* const resting = session_->restingCall(kCount, MPI_INT64_T, MPI_SUM);
    const int code = resting != nullptr
                         ? session_->allreduceAtRest(*resting, in.data(), out.data(), kCount, MPI_INT64_T, MPI_SUM, {})
                         : session_->allreduce(in.data(), out.data(), kCount, MPI_INT64_T, MPI_SUM, origin);
    EXPECT_EQ(code, MPI_SUCCESS);
    const std::int64_t ranks = worldSize();
    EXPECT_EQ(out, std::vector<std::int64_t>(kCount, ranks * (ranks - 1) / 2 + ranks * made_));
  }

  // What a call ran, and by which plan, is to be equal on all ranks.
  void note(const KeyTable::Next& next) {
    history_ =
        mixHash(mixHash(history_, next.is_special ? 1 : 0), static_cast<std::uint64_t>(next.planned.choice.algorithm));
    if (next.entry < 0) return;
    for (const std::int32_t rank : session_->tableOf(next.entry)) {
      history_ = mixHash(history_, static_cast<std::uint64_t>(rank));
    }
  }

  const KeyPlan& usualPlan() const { return session_->keys().entry(0).plan; }
  // The ranks that the two plans have last: those that are in order have the last one.
  std::int32_t lastOf(Part part) const {
    Key key = session_->keys().entry(0).key;
    key.part = part;
    const std::int32_t index = session_->keys().find(key).value_or(0);
    const std::span<const std::int32_t> table = session_->tableOf(index);
    return table.empty() ? worldSize() - 1 : table.back();
  }
  void expectEqualOnAllRanks() { EXPECT_TRUE(isEqualOnAllRanks(history_, MPI_COMM_WORLD)); }

  static constexpr int kCount = 1000;
  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  StagedClock clock_;
  std::unique_ptr<Session> session_;
  std::int64_t made_ = 0;
  std::uint64_t history_ = 0;
};

TEST_F(SessionCycle, twoRanksThatTakeTurnsInBeingLateAreLastInTurn) {
  const Watch watch("two ranks in turn");
  const std::int32_t other = worldSize() - 1;
  for (int i = 0; i < 200; ++i) call(i % 2 == 0 ? 0 : other);
  expectEqualOnAllRanks();
  if (worldSize() == 1) return;
  EXPECT_EQ(usualPlan().cycle.period, 2);
  EXPECT_EQ(lastOf(Part::kUsual) + lastOf(Part::kSpecial), other) << "rank 0 by one plan, the last rank by the other";
  EXPECT_NE(lastOf(Part::kUsual), lastOf(Part::kSpecial));
}

TEST_F(SessionCycle, allRanksGiveUpACycleThatEnds) {
  const Watch watch("a sequence that ends");
  if (worldSize() == 1) return;
  for (int i = 0; i < 150; ++i) call(i % 3 == 0 ? 0 : -1);
  EXPECT_EQ(usualPlan().cycle.period, 3);
  for (int i = 0; i < 250; ++i) call(-1);
  EXPECT_TRUE(usualPlan().cycle.isNone());
  for (int i = 0; i < 150; ++i) call(i % 2 == 0 ? 0 : -1);
  EXPECT_EQ(usualPlan().cycle.period, 2);
  expectEqualOnAllRanks();
}

TEST_F(SessionCycle, allRanksCountAlikeWhereSitesArePredictedWrong) {
  const Watch watch("two sites in no order");
  std::mt19937 random(11);  // the same on all ranks
  std::array<int, 2> made{};
  for (int i = 0; i < 600; ++i) {
    const std::size_t site = i < 300 ? random() % 2 : random() % 16 == 0 ? 1 : 0;
    const int of_site = made[site]++;
    const std::int32_t late = of_site % 2 == 0 ? static_cast<std::int32_t>(site) : worldSize() - 1;
    // What a rank calls a place is its own.
    call(late, {.return_address = 100 * static_cast<std::uint64_t>(worldRank() + 1) + site});
  }
  expectEqualOnAllRanks();
}

}  // namespace
}  // namespace starling
