#include "mpi/execution/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <memory_resource>
#include <new>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "algos/catalogue.h"
#include "algos/counting_memory.h"
#include "cases.h"
#include "harness.h"
#include "mpi/execution/call_kind.h"
#include "mpi/execution/plan_schedules.h"

namespace starling {
namespace {

// How a schedule is made and run.
struct Variant {
  std::string choice;
  std::vector<std::int32_t> table{};  // empty: identity
  std::vector<std::int64_t> lateness_ns{};
  std::size_t blocks = 1;  // of scratch: more let more receives be in flight
};

std::vector<std::int64_t> randomLateness(int ranks, std::int64_t longest_ns, bool sorted) {
  std::mt19937 random(2024);  // equal on all ranks
  std::vector<std::int64_t> lateness(static_cast<std::size_t>(ranks));
  for (std::int64_t& value : lateness) value = static_cast<std::int64_t>(random()) % longest_ns;
  if (sorted) std::sort(lateness.begin(), lateness.end());
  return lateness;
}

std::vector<std::int32_t> shuffledTable(int ranks) {
  std::vector<std::int32_t> table(static_cast<std::size_t>(ranks));
  std::iota(table.begin(), table.end(), 0);
  std::mt19937 random(7);
  std::shuffle(table.begin(), table.end(), random);
  return table;
}

std::vector<Variant> variantsOf(const Algorithm& algorithm, int ranks) {
  const std::string name = algorithm.name;
  std::vector<Variant> variants{{.choice = name}, {.choice = name, .table = shuffledTable(ranks), .blocks = 3}};
  for (const Parameter& parameter : algorithm.parameters) {
    const std::string word = parameter.name;
    const std::string setting = name + ":" + word + "=";
    if (word == "segments") {
      variants.push_back({.choice = setting + "3", .blocks = 2});
      variants.push_back({.choice = setting + std::to_string(2 * ranks), .blocks = 4});
    } else if (word == "window") {
      variants.push_back({.choice = setting + "1"});
      variants.push_back({.choice = setting + "8", .blocks = 8});
    } else if (word == "tau_ns") {
      variants.push_back({.choice = setting + "1000", .lateness_ns = randomLateness(ranks, 5000, true)});
      variants.push_back(
          {.choice = setting + "10", .table = shuffledTable(ranks), .lateness_ns = randomLateness(ranks, 9999, false)});
    }
  }
  return variants;
}

class ExecutorRuns : public testing::TestWithParam<const Algorithm*> {
 protected:
  static void SetUpTestSuite() {
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
    operations_ = std::make_unique<UserOperations>();
  }
  static void TearDownTestSuite() {
    operations_.reset();
    MPI_Comm_free(&communicator_);
  }

  // Runs the schedule of `variant` once over `work`.
  void reduce(Executor& executor, const Variant& variant, MPI_Datatype datatype, MPI_Op op, int count, void* work,
              std::int64_t* run_bytes = nullptr, InputInParts* input = nullptr) {
    watch_.phase(variant.choice + ", count " + std::to_string(count));
    const CallKind kind = classifyCall(count, datatype, op);
    ASSERT_TRUE(kind.tunable);
    PlanSchedules::Query query;
    query.choice = parseChoice(variant.choice).value();
    query.shape = {worldSize(), count, kind.signature.commutative};
    query.table = variant.table;
    query.lateness_ns = variant.lateness_ns;
    PlanSchedules cache;
    const PreparedSchedule& prepared = cache.find(query, worldRank());
    const auto elements = static_cast<std::size_t>(prepared.leastScratch()) * variant.blocks;
    ASSERT_TRUE(executor.reserve(elements * kind.reducer.element_size));
    if (run_bytes != nullptr) *run_bytes = prepared.runBytes();
    const int first_tag = (runs_++ % 5) * prepared.schedule().tag_span;
    Executor::Call call{communicator_, variant.table, first_tag, work, kind.reducer};
    call.input = input;
    EXPECT_EQ(executor.run(prepared, call), MPI_SUCCESS);
  }

  template <typename Value>
  void check(const Variant& variant, const Case<Value>& expected) {
    if (!expected.commutative && (!GetParam()->keeps_rank_order || !variant.table.empty())) return;
    Executor executor;
    const int ranks = worldSize();
    for (const int count : {0, 1, ranks - 1, ranks, ranks + 1, 1000}) {
      std::vector<Value> work = expected.inputs(worldRank(), count);
      reduce(executor, variant, expected.datatype, expected.op, count, work.data());
      EXPECT_EQ(expected.wrongElements(work, ranks), 0)
          << "wrong elements of " << count << ", " << expected.name << ", " << variant.choice
          << (variant.table.empty() ? "" : ", shuffled table");
    }
  }

  // Sums that are not exact: equal bits on all ranks all the same, and nearly right.
  template <typename Value>
  void checkBits(const Variant& variant, MPI_Datatype datatype, double tolerance) {
    Executor executor;
    const int ranks = worldSize();
    for (const int count : {ranks + 1, 1000}) {
      const auto input = [](int rank, int i) { return static_cast<Value>(std::sin(1.0 + 100.0 * rank + i) * 1e3); };
      std::vector<Value> work;
      for (int i = 0; i < count; ++i) work.push_back(input(worldRank(), i));
      reduce(executor, variant, datatype, MPI_SUM, count, work.data());
      EXPECT_TRUE(isEqualOnAllRanks(hashOfBytes(work.data(), work.size() * sizeof(Value)), communicator_))
          << "bits differ between ranks: " << variant.choice << ", count " << count;
      for (int i = 0; i < count; ++i) {
        double result = 0.0;
        for (int rank = 0; rank < ranks; ++rank) result += static_cast<double>(input(rank, i));
        ASSERT_NEAR(static_cast<double>(work[static_cast<std::size_t>(i)]), result, tolerance) << variant.choice;
      }
    }
  }

  static inline MPI_Comm communicator_ = MPI_COMM_NULL;
  static inline std::unique_ptr<UserOperations> operations_;
  Watch watch_{"ExecutorRuns"};
  int runs_ = 0;
};

TEST_P(ExecutorRuns, givesExactSumsAndExtrema) {
  for (const Variant& variant : variantsOf(*GetParam(), worldSize())) {
    check(variant, sumOf<float>(MPI_FLOAT));
    check(variant, maximumOf<float>(MPI_FLOAT));
    check(variant, sumOf<double>(MPI_DOUBLE));
    check(variant, maximumOf<double>(MPI_DOUBLE));
    check(variant, sumOf<std::int32_t>(MPI_INT32_T));
    check(variant, maximumOf<std::int32_t>(MPI_INT32_T));
    check(variant, sumOf<std::int64_t>(MPI_INT64_T));
    check(variant, maximumOf<std::int64_t>(MPI_INT64_T));
  }
}

TEST_P(ExecutorRuns, givesValueAndRankForPairs) {
  for (const Variant& variant : variantsOf(*GetParam(), worldSize())) {
    check(variant, minimumLocationOf<DoubleInt>(MPI_DOUBLE_INT));
    check(variant, maximumLocationOf<DoubleInt>(MPI_DOUBLE_INT));
    check(variant, minimumLocationOf<TwoInt>(MPI_2INT));
    check(variant, maximumLocationOf<TwoInt>(MPI_2INT));
  }
}

TEST_P(ExecutorRuns, callsUserOperationsWithOperandsInRankOrder) {
  for (const Variant& variant : variantsOf(*GetParam(), worldSize())) {
    check(variant, operations_->commutative());
    check(variant, operations_->nonCommutative());
  }
}

TEST_P(ExecutorRuns, leavesEqualBitsOnAllRanksWhenSumsAreNotExact) {
  for (const Variant& variant : variantsOf(*GetParam(), worldSize())) {
    checkBits<float>(variant, MPI_FLOAT, 1e-2);
    checkBits<double>(variant, MPI_DOUBLE, 1e-10);
  }
}

std::vector<const Algorithm*> algorithmsWithSchedule() {
  std::vector<const Algorithm*> algorithms;
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.build != nullptr) algorithms.push_back(&algorithm);
  }
  return algorithms;
}

// One allocation for each of the executor's vectors is made before the first message, and none grows after that.
TEST_P(ExecutorRuns, allocatesBeforeTheFirstMessageOnly) {
  constexpr int kVectors = 6;
  for (const Variant& variant : variantsOf(*GetParam(), worldSize())) {
    Counting memory;
    Executor executor(&memory);
    memory.allocations_left = kVectors;
    std::vector<double> work(1000, 1.0);
    std::int64_t run_bytes = 0;
    ASSERT_NO_THROW(reduce(executor, variant, MPI_DOUBLE, MPI_SUM, 1000, work.data(), &run_bytes)) << variant.choice;
    EXPECT_EQ(work.back(), worldSize());
    EXPECT_LE(memory.peak, run_bytes);
    memory.allocations_left = 0;
    ASSERT_NO_THROW(reduce(executor, variant, MPI_DOUBLE, MPI_SUM, 1000, work.data())) << "the second time";
    executor.releaseMemory();
    EXPECT_EQ(memory.in_use, 0);
  }
}

TEST(Executor, senderInStepStaysUntilItsMessageIsTaken) {
  const int rank = worldRank();
  Schedule schedule;
  schedule.ranks = worldSize();
  schedule.virtual_rank = rank;
  schedule.count = 1;
  schedule.synchronous[0] = true;
  const Block block{0, 1};
  if (worldSize() > 1 && rank == 0) schedule.steps = {{.kind = StepKind::kSend, .peer = 1, .block = block}};
  if (rank == 1) schedule.steps = {{.kind = StepKind::kReceive, .peer = 0, .block = block}};
  double work = rank;
  Executor executor;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  // All ranks are on one machine: one clock.
  const auto now = [] { return std::chrono::steady_clock::now().time_since_epoch().count(); };
  std::int64_t time = now();  // of the receiver: before
  EXPECT_EQ(executor.run(PreparedSchedule(schedule),
                         {MPI_COMM_WORLD, {}, 0, &work, classifyCall(1, MPI_DOUBLE, MPI_SUM).reducer}),
            MPI_SUCCESS);
  if (rank == 0) time = now();  // of the sender: after
  std::vector<std::int64_t> times(static_cast<std::size_t>(worldSize()));
  MPI_Allgather(&time, 1, MPI_INT64_T, times.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  if (worldSize() > 1) {
    EXPECT_GE(times[0], times[1]);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, ExecutorRuns, testing::ValuesIn(algorithmsWithSchedule()),
                         [](const auto& test) { return std::string(test.param->name); });

// Gives three elements at a time, whenever there is no message. What is not there yet spoils all that it touches, and
// is lost where something came before it.
class SlowInput final : public InputInParts {
 public:
  SlowInput(std::vector<double> input, std::vector<double>& work) : input_(std::move(input)), work_(work) {
    work_.assign(input_.size(), std::nan(""));
  }

  std::int64_t inputBefore() const override { return there_; }
  bool isIdle(const Step& /*oldest*/) const override { return there_ == std::ssize(input_); }
  void await(const Step& /*oldest*/, bool (*is_message_there)(void* context), void* context) override {
    if (!is_message_there(context)) giveUpTo(there_ + 3);
  }
  // Gives what no step has waited for.
  void finish() { giveUpTo(std::ssize(input_)); }

 private:
  void giveUpTo(std::int64_t end) {
    for (; there_ < std::min<std::int64_t>(end, std::ssize(input_)); ++there_) {
      work_[static_cast<std::size_t>(there_)] = input_[static_cast<std::size_t>(there_)];
    }
  }

  const std::vector<double> input_;
  std::vector<double>& work_;
  std::int64_t there_ = 0;
};

class ExecutorRunsInParts : public ExecutorRuns {};

// All that `two_level` runs between nodes.
INSTANTIATE_TEST_SUITE_P(Rows, ExecutorRunsInParts,
                         testing::Values(findAlgorithm(1), findAlgorithm(2), findAlgorithm(3), findAlgorithm(4),
                                         findAlgorithm(5), findAlgorithm(8)),
                         [](const auto& row) { return std::string(row.param->name); });

TEST_P(ExecutorRunsInParts, touchesNoInputThatIsNotThere) {
  const Case<double> expected = sumOf<double>(MPI_DOUBLE);
  for (const Variant& variant : variantsOf(*GetParam(), worldSize())) {
    Executor executor;
    for (const int count : {1, worldSize() - 1, worldSize() + 1, 100}) {
      std::vector<double> work;
      SlowInput input(expected.inputs(worldRank(), count), work);
      reduce(executor, variant, MPI_DOUBLE, MPI_SUM, count, work.data(), nullptr, &input);
      input.finish();
      EXPECT_EQ(expected.wrongElements(work, worldSize()), 0) << variant.choice << ", count " << count;
    }
  }
}

}  // namespace
}  // namespace starling
