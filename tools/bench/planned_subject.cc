#include "planned_subject.h"

#include <algorithm>

#include "algos/flagged.h"
#include "choices.h"
#include "mpi/exchange/arrival_flags.h"
#include "mpi/execution/call_kind.h"
#include "mpi/execution/plan_schedules.h"
#include "mpi/execution/planned_call.h"
#include "simulator/fewer_ranks.h"
#include "simulator/simulated_choice.h"
#include "tuner/virtual_ranks.h"

namespace starling::bench {
namespace {

// Up to here the model itself is compared with what is measured, and not what stands for it in the tuner.
constexpr int kMostModelledRanks = 91;

class PlannedSubject final : public Subject {
 public:
  PlannedSubject(const SubjectChoice& choice, std::int64_t count, const SubjectServices& services)
      : name_(choice.algorithm), choice_(*choice.choice), count_(count), services_(services) {
    kind_ = classifyCall(static_cast<int>(count), services.workload->datatype(), services.workload->operation());
    rank_ = services.channel->rank();
    ranks_ = services.channel->ranks();
    late_ = flaggedRanks(choice_, ranks_);
    if (late_ > 0) flags_.emplace(services.channel->communicator(), rank_, ranks_, services.channel->ownTag(0));
    if (!namesStepTime(choice.text)) {
      setStepTime(choice_, shape(), services.workload->elementSize(), services.model);
    }
  }

  std::string algorithm() const override { return name_; }
  std::string choice() const override { return formatChoice(choice_); }

  bool prepare(const Forecast& forecast) override {
    const Forecast arranged = kind_.signature.commutative ? forecast : inRankOrder(forecast);
    const Algorithm& algorithm = *findAlgorithm(choice_.algorithm);
    const bool same_arrivals = std::ranges::equal(relevantLateness(algorithm, arranged.lateness_ns),
                                                  relevantLateness(algorithm, lateness_ns_));
    const bool is_prepared = prepared_ != nullptr && arranged.table == table_ && same_arrivals;
    table_ = arranged.table;
    lateness_ns_ = arranged.lateness_ns;
    if (is_prepared) return true;
    prepared_ = &schedules_.find(query(table_, lateness_ns_), rank_);
    const std::int64_t elements = scratchElements(*findAlgorithm(choice_.algorithm), shape());
    return services_.channel->executor().reserve(static_cast<std::size_t>(elements) * kind_.reducer.element_size);
  }

  int run(const Buffers& buffers) override {
    if (isInSharedMemory() && count_ == 0) return MPI_SUCCESS;
    const PlannedCall call{buffers.input, buffers.result, count_,       kind_.reducer,
                           choice_,       table_,         lateness_ns_, kind_.signature.commutative};
    if (isInSharedMemory()) {
      runInMemory(*services_.node, call);
      return MPI_SUCCESS;
    }
    return late_ > 0 ? reduceFlagged(call) : runSchedule(*services_.channel, services_.node, *prepared_, call);
  }

  std::optional<Traffic> traffic() const override {
    Traffic traffic;
    if (isInSharedMemory()) return traffic;
    for (const Step& step : prepared_->schedule().steps) {
      if (step.kind != StepKind::kSend) continue;
      ++traffic.messages;
      traffic.bytes += step.block.count * services_.workload->elementSize().value;
    }
    return traffic;
  }

  std::optional<Seconds> predict(std::span<const Seconds> lateness) const override {
    std::vector<Seconds> arrivals;
    for (const std::int32_t rank : table_) arrivals.push_back(lateness[static_cast<std::size_t>(rank)]);
    Shape placed = shape();
    const Topology topology = arranged(*services_.topology, table_);
    placed.topology = &topology;
    const Bytes element_size = services_.workload->elementSize();
    if (ranks_ > kMostModelledRanks) {
      const Result<Seconds> time =
          predictPostArrivalTime({choice_, placed, element_size, services_.probed, arrivals, lateness_ns_});
      return time.isOk() ? std::optional(time.value()) : std::nullopt;
    }
    const Result<SimulatedCall> call =
        simulateChoice(choice_, placed, element_size, services_.probed, arrivals, lateness_ns_);
    if (!call.isOk()) return std::nullopt;
    return postArrivalTime(call.value(), arrivals);
  }

 private:
  // Reduces with the late ranks that flags name in this call.
  int reduceFlagged(PlannedCall call) {
    int code = flags_->exchange(table_.front(), late_);
    if (code != MPI_SUCCESS) return code;
    flagged_.arrange(ranks_, table_, flags_->flagged(), !kind_.signature.commutative);
    call.table = flagged_.table;
    call.lateness_ns = flagged_.lateness_ns;
    prepared_ = &schedules_.find(query(flagged_.table, flagged_.lateness_ns), rank_);
    code = runSchedule(*services_.channel, services_.node, *prepared_, call);
    if (code == MPI_SUCCESS) code = flags_->finish();
    if (code != MPI_SUCCESS) flags_->abandon();
    return code;
  }

  PlanSchedules::Query query(std::span<const std::int32_t> table, std::span<const std::int64_t> lateness_ns) const {
    PlanSchedules::Query query{choice_, shape(), table, lateness_ns};
    query.nodes_share_memory = mayHaveShares(*services_.topology, kind_.reducer);
    return query;
  }

  bool isInSharedMemory() const { return isInMemory(services_.node, *services_.topology, choice_, kind_.reducer); }
  Shape shape() const { return {ranks_, count_, services_.workload->isCommutative(), services_.topology}; }

  const std::string name_;
  Choice choice_;
  const std::int64_t count_;
  const SubjectServices services_;
  CallKind kind_;
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<std::int32_t> table_;
  std::vector<std::int64_t> lateness_ns_;
  PlanSchedules schedules_;
  const PreparedSchedule* prepared_ = nullptr;  // lies in schedules_, until another schedule is asked for
  std::int32_t late_ = 0;                       // how many ranks flags name
  std::optional<ArrivalFlags> flags_;
  FlaggedArrangement flagged_;
};

}  // namespace

std::unique_ptr<Subject> makePlannedSubject(const SubjectChoice& choice, std::int64_t count,
                                            const SubjectServices& services) {
  return std::make_unique<PlannedSubject>(choice, count, services);
}

}  // namespace starling::bench
