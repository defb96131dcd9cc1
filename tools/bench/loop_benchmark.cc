#include "loop_benchmark.h"

#include "call_loop.h"

namespace starling::bench {
namespace {

constexpr std::int32_t kUsualPairs = 100;
constexpr std::int32_t kUsualWarmup = 2000;

int rankInWorld() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

int timeBackToBack(const Arguments& arguments, const Clock& clock, Workload& workload,
                   const std::function<void(const LoopFigures&)>& report) {
  for (const std::int64_t count : arguments.counts) {
    LoopFigures figures;
    figures.count = count;
    figures.bytes = count * workload.elementSize().value;
    figures.calls = arguments.has_iterations ? arguments.iterations : suiteCalls(figures.bytes);
    const std::int32_t warmup = arguments.has_warmup ? arguments.warmup : suiteWarmup(figures.bytes);
    CallLoop loop(clock, workload, arguments.seed, count, arguments.sites);
    if (warmup > 0) loop.run(CallLoop::Target::kMpi, warmup);
    figures.time = loop.run(CallLoop::Target::kMpi, figures.calls);
    figures.wrong_elements = loop.countWrong();
    if (loop.code() != MPI_SUCCESS) return loop.code();
    if (rankInWorld() == 0) report(figures);
  }
  return MPI_SUCCESS;
}

int timeOverhead(const Arguments& arguments, const Clock& clock, Workload& workload,
                 const std::function<void(const OverheadFigures&)>& report) {
  const std::int32_t pairs = arguments.has_iterations ? arguments.iterations : kUsualPairs;
  const std::int32_t warmup = arguments.has_warmup ? arguments.warmup : kUsualWarmup;
  FlagRounds flags;
  for (const std::int64_t count : arguments.counts) {
    OverheadFigures figures;
    figures.count = count;
    figures.bytes = count * workload.elementSize().value;
    figures.calls = arguments.calls > 0 ? arguments.calls : suiteCalls(figures.bytes);
    CallLoop loop(clock, workload, arguments.seed, count, arguments.sites, &flags);
    if (warmup > 0) loop.run(CallLoop::Target::kMpi, warmup);
    for (std::int32_t pair = 0; pair < pairs; ++pair) {
      // What comes first in a pair may find caches and the other ranks otherwise than what comes second.
      const bool mpi_is_first = pair % 2 == 0;
      if (flags.arePossible()) figures.flags_ns.push_back(loop.run(CallLoop::Target::kFlags, figures.calls).mean_ns);
      figures.copy_ns.push_back(loop.run(CallLoop::Target::kCopy, figures.calls).mean_ns);
      if (mpi_is_first) figures.mpi_ns.push_back(loop.run(CallLoop::Target::kMpi, figures.calls).mean_ns);
      figures.pmpi_ns.push_back(loop.run(CallLoop::Target::kPmpi, figures.calls).mean_ns);
      if (!mpi_is_first) figures.mpi_ns.push_back(loop.run(CallLoop::Target::kMpi, figures.calls).mean_ns);
    }
    figures.wrong_elements = loop.countWrong();
    if (loop.code() != MPI_SUCCESS) return loop.code();
    if (rankInWorld() == 0) report(figures);
  }
  return MPI_SUCCESS;
}

}  // namespace starling::bench
