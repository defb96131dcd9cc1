#include "rooted_subject.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "algos/broadcast.h"
#include "algos/reduction_tree.h"
#include "base/options.h"
#include "mpi/execution/call_kind.h"
#include "mpi/rooted/rooted_channel.h"
#include "schedule/prepared_schedule.h"
#include "starling/starling.h"

namespace starling::bench {
namespace {

// By then tables and trees follow a pattern that stays, and have been compared with the MPI library's own function.
constexpr std::int64_t kPeriodsOfWarmup = 8;

// Runs a plan that is not learned. Plans are made as tuned_bcast and tuned_reduce make them, outside the measured time.
class PlannedRooted : public Subject {
 public:
  PlannedRooted(std::int64_t count, const SubjectServices& services)
      : services_(services),
        rank_(services.channel->rank()),
        ranks_(services.channel->ranks()),
        count_(count),
        bytes_(count * services.workload->elementSize().value),
        costs_(linkCostsOf(services.probed)) {}

  std::string algorithm() const override { return kPlanned; }
  std::string choice() const override { return kPlanned; }

  bool prepare(const Forecast& forecast) override {
    if (bytes_ == 0 || ranks_ == 1) return true;  // nothing is sent
    const bool is_new =
        !prepared_ || forecast.table != forecast_.table || forecast.lateness_ns != forecast_.lateness_ns;
    if (!is_new) return true;
    forecast_ = forecast;
    prepared_.emplace(build(forecast));
    return services_.channel->executor().reserve(static_cast<std::size_t>(bytes_));
  }

 protected:
  // Makes this rank's schedule. There is something to send.
  virtual Schedule build(const Forecast& forecast) = 0;

  const SubjectServices services_;
  const int rank_;
  const int ranks_;
  const std::int64_t count_;
  const std::int64_t bytes_;
  const LinkCosts costs_;
  Forecast forecast_;
  std::optional<PreparedSchedule> prepared_;  // empty: nothing is sent
};

// Broadcasts to the ranks in the order in which they are predicted to come.
class PlannedBroadcast final : public PlannedRooted {
 public:
  using PlannedRooted::PlannedRooted;

  int run(const Buffers& buffers) override {
    if (!prepared_) return MPI_SUCCESS;
    Executor::Call call;
    call.table = table_;
    call.work = buffers.result;
    call.reducer = {.datatype = MPI_BYTE, .element_size = 1};
    return services_.channel->run(*prepared_, call);
  }

 private:
  Schedule build(const Forecast& forecast) override {
    table_ = forecast.table;
    std::stable_partition(table_.begin(), table_.end(), [](std::int32_t rank) { return rank == kRoot; });
    const auto position = static_cast<std::int32_t>(std::find(table_.begin(), table_.end(), rank_) - table_.begin());
    return buildBroadcast(ranks_, position, bytes_, planBroadcast(ranks_, bytes_, costs_));
  }

  std::vector<std::int32_t> table_;
};

// Reduces over the tree of the predicted arrivals: the merges of Marendic et al. 2012, algorithm 1, or a chain.
class PlannedReduction final : public PlannedRooted {
 public:
  PlannedReduction(std::int64_t count, const SubjectServices& services)
      : PlannedRooted(count, services),
        kind_(classifyCall(static_cast<int>(count), services.workload->datatype(), services.workload->operation())) {}

  int run(const Buffers& buffers) override {
    const bool only_sends = prepared_ && rank_ != kRoot && prepared_->leastScratch() == 0;
    if (!only_sends && bytes_ > 0) std::memcpy(buffers.result, buffers.input, static_cast<std::size_t>(bytes_));
    if (!prepared_) return MPI_SUCCESS;
    Executor::Call call;
    // A rank that only sends does not write to its work vector.
    call.work = only_sends ? const_cast<void*>(buffers.input) : buffers.result;
    call.reducer = kind_.reducer;
    return services_.channel->run(*prepared_, call);
  }

 private:
  Schedule build(const Forecast& forecast) override {
    const Association association = kind_.signature.commutative ? Association::kAny : Association::kRankOrder;
    const std::vector<std::int64_t> lateness_ns = inRankOrder(forecast).lateness_ns;
    const ReductionPlan plan = planReduction({ranks_, kRoot, bytes_, association}, lateness_ns, costs_);
    return buildReduction(ranks_, rank_, count_, plan);
  }

  const CallKind kind_;
};

class TunedRooted final : public Subject {
 public:
  explicit TunedRooted(const SubjectServices& services) : services_(services) {
    const Options options = parseEnvironment().options;
    calls_to_learn_ = options.minimum_calls + kPeriodsOfWarmup * options.rooted_period;
    // All ranks take rank 0's number, as the library takes rank 0's options; ranks that made different numbers of calls
    // to warm up would hang.
    PMPI_Bcast(&calls_to_learn_, 1, MPI_INT64_T, 0, services_.world);
  }

  std::string algorithm() const override { return kTuned; }
  std::string choice() const override { return kTuned; }
  int run(const Buffers& buffers) override {
    ++calls_;
    const MPI_Datatype datatype = services_.workload->datatype();
    if (services_.collective == Collective::kBcast) {
      return tuned_bcast(buffers.result, buffers.count, datatype, kRoot, services_.world);
    }
    return tuned_reduce(buffers.input, buffers.result, buffers.count, datatype, services_.workload->operation(), kRoot,
                        services_.world);
  }
  bool needsMoreWarmup() const override { return calls_ < calls_to_learn_; }

 private:
  const SubjectServices services_;
  std::int64_t calls_to_learn_ = 0;
  std::int64_t calls_ = 0;
};

}  // namespace

std::unique_ptr<Subject> makeRootedSubject(const SubjectChoice& choice, std::int64_t count,
                                           const SubjectServices& services) {
  if (choice.algorithm == kTuned) return std::make_unique<TunedRooted>(services);
  if (services.collective == Collective::kBcast) return std::make_unique<PlannedBroadcast>(count, services);
  return std::make_unique<PlannedReduction>(count, services);
}

}  // namespace starling::bench
