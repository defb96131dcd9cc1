// The measurement itself, after Proficz 2018, figure 9: random data, emulated computation with an announcement in its
// middle, an imposed delay, a synchronised start, one call, a check of every element.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arguments.h"
#include "base/clock.h"
#include "common_time.h"
#include "estimators/arrival_predictor.h"
#include "progress.h"
#include "subject.h"
#include "summary.h"
#include "workload.h"

namespace starling::bench {

// Makes the measurements of one run. All its functions are collective over MPI_COMM_WORLD. THREADS: not thread-safe.
class Benchmark {
 public:
  Benchmark(const Arguments& arguments, const Clock& clock, CommonTime& time, Workload& workload);
  Benchmark(const Benchmark&) = delete;
  Benchmark& operator=(const Benchmark&) = delete;

  // Measures every setting; on rank 0 it hands over the summaries of each setting as soon as that is done. Returns an
  // MPI error code.
  int run(const std::function<void(std::span<const Summary>)>& report);

  // Returns what messages and reductions cost, as the library has probed it.
  const CostModel& probedModel() const { return probed_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

 private:
  // One algorithm under one setting.
  struct Series {
    explicit Series(std::int32_t ranks) : learned(ranks) {}

    std::unique_ptr<Subject> subject;
    ArrivalPredictor learned;  // learns from this series alone: all series of an iteration have the same pattern
    std::vector<Seconds> elapsed;
    std::vector<Seconds> post_arrival;
    std::vector<Seconds> modelled;  // post-arrival times by the cost model, on rank 0 where they are wanted
    std::optional<Seconds> loop;    // where its calls form one
    std::int64_t wrong = 0;
    std::int32_t warmup_calls = 0;
  };
  // What this rank knows of one call.
  struct OwnResult {
    std::int64_t arrival_ns = 0;
    std::int64_t exit_ns = 0;
    std::int64_t wrong = 0;
    std::optional<Seconds> modelled;  // post-arrival time by the cost model
  };
  struct CallResult {
    CallTimes times;
    std::int64_t wrong = 0;
    std::vector<Seconds> lateness;  // by rank, as it really was
    std::optional<Seconds> modelled;
  };

  int runSetting(const Setting& setting, std::uint64_t number);
  int warmUp(Series& series, const Setting& setting, std::uint64_t number);
  // The calls of all series take turns.
  int runInTurns(const Setting& setting, std::uint64_t number);
  // The calls of one series follow each other with nothing but the computation between them.
  int runAsProgram(Series& series, const Setting& setting, std::uint64_t number);
  int measure(Series& series, const Setting& setting, std::uint64_t number, std::uint64_t call, CallResult& result);
  // Returns how late each rank is to come to a call, which is equal on all ranks.
  std::vector<Seconds> latenessOf(const Setting& setting, std::uint64_t seed, std::uint64_t call) const;
  // Gets ready for a call, computes from `start` (this rank's clock) or from the agreed moment on, and makes it.
  int makeCall(Series& series, const Setting& setting, std::uint64_t number, std::uint64_t call,
               const std::optional<Seconds>& start, OwnResult& own);
  void keep(Series& series, const CallResult& result);
  Forecast forecastFor(std::span<const Seconds> lateness, const ArrivalPredictor& learned) const;
  // Returns the moment at which the computation of this call begins, on this rank's clock.
  Seconds agreeOnStart();
  void compute(const Setting& setting, Seconds start, Seconds lateness, const Subject& subject);
  // Counts the elements of this rank's result that are not what the call is to give it.
  std::int64_t countWrong(std::uint64_t seed, std::uint64_t call);
  CallResult collect(const OwnResult& own);
  Summary summarise(const Series& series, const Setting& setting);
  std::optional<PerRank> perRank(std::int64_t value, bool known);

  const Arguments& arguments_;
  std::vector<Phase> phases_;
  std::vector<RecordedPattern> recorded_;  // no more of them than calls are measured
  const Clock& clock_;
  CommonTime& time_;
  Workload& workload_;
  int rank_ = 0;
  int ranks_ = 1;
  CostModel model_;    // what the user said of the network, else as probed
  Topology topology_;  // by rank
  std::unique_ptr<NodeChannel> node_;
  CostModel probed_;  // as the library sees it
  Channel channel_{MPI_COMM_WORLD, kSubjectTags};
  std::vector<std::byte> input_;
  std::vector<std::byte> result_;
  std::vector<Series> series_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace starling::bench
