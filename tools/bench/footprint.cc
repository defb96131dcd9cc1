// starling-footprint: what one rank of a large communicator has in memory, and how long it takes to make its schedules.
//
//   starling-footprint [RANKS]
//
// It needs no other ranks. Schedules are those of the first, the middle and the last rank, the longest of all, for
// vectors of 1 Mi floats with the parameters that the tuner sets; times are medians of 9. Bytes are the same in every
// run.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "algos/flagged.h"
#include "algos/schedule_bytes.h"
#include "mpi/arrival_arrangement.h"
#include "mpi/exchange/agreement.h"
#include "mpi/exchange/arrival_flags.h"
#include "mpi/execution/plan_schedules.h"
#include "schedule/prepared_schedule.h"
#include "simulator/simulated_choice.h"
#include "tuner/tracked_arrivals.h"
#include "whole_number.h"

namespace starling::bench {
namespace {

constexpr std::int64_t kCount = 1 << 20;
constexpr Bytes kFloat{4};
constexpr CostModel kModel{.alpha = {4e-6}, .beta = 8e-9};
constexpr int kRuns = 9;
constexpr std::int32_t kRanksPerNode = 8;

std::int64_t heapInUse() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
}

Topology topologyOf(std::int32_t ranks) {
  Topology topology;
  topology.nodes.reserve(static_cast<std::size_t>(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank) topology.nodes.push_back(rank / kRanksPerNode);
  return topology;
}

struct Made {
  std::size_t steps = 0;
  std::int64_t bytes = 0;
  double milliseconds = 0.0;
};

Made make(const BuildRequest& request, const Algorithm& row) {
  Made made;
  std::array<double, kRuns> times{};
  for (double& time : times) {
    const auto begin = std::chrono::steady_clock::now();
    const PreparedSchedule prepared(buildSchedule(row, request));
    time = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    made.steps = prepared.schedule().steps.size();
    made.bytes = prepared.bytes();
  }
  std::ranges::nth_element(times, times.begin() + kRuns / 2);
  made.milliseconds = times[kRuns / 2];
  return made;
}

void printSchedule(const Algorithm& row, const Shape& shape) {
  if (!isValid(row, shape)) {
    fmt::print("| `{}` | - | - | - | {} |\n", row.name, row.valid_text);
    return;
  }
  Choice choice{row.id, defaultParameters(row)};
  setStepTime(choice, shape, kFloat, kModel);
  setBestSegments(choice, shape, kFloat, kModel);
  std::vector<std::int64_t> lateness_ns(row.uses_arrivals ? static_cast<std::size_t>(shape.ranks) : 0);
  if (!lateness_ns.empty()) lateness_ns.back() = 100'000'000;
  Made most;
  for (const std::int32_t rank : {0, shape.ranks / 2, shape.ranks - 1}) {
    BuildRequest request;
    request.shape = shape;
    request.virtual_rank = rank;
    request.parameters = choice.parameters;
    request.lateness_ns = lateness_ns;
    const Made made = make(request, row);
    most.steps = std::max(most.steps, made.steps);
    most.bytes = std::max(most.bytes, made.bytes);
    most.milliseconds = std::max(most.milliseconds, made.milliseconds);
  }
  fmt::print("| `{}` | {} | {} | {} | {:.2f} ms |\n", row.name, most.steps, most.bytes,
             scheduleBytes(row, shape, choice.parameters), most.milliseconds);
}

template <typename Structure>
void printBytes(const char* name, const Structure& structure) {
  const std::int64_t before = heapInUse();
  const auto made = structure();
  fmt::print("| {} | {} |\n", name, heapInUse() - before);
}

int measure(std::int32_t ranks) {
  const Topology topology = topologyOf(ranks);
  const Shape shape{.ranks = ranks, .count = kCount, .topology = &topology};
  fmt::print("| schedule | steps | bytes kept | bytes at most, to make and run it | time to make it |\n");
  fmt::print("|---|---:|---:|---:|---:|\n");
  for (const Algorithm& row : catalogue()) {
    if (row.build != nullptr) printSchedule(row, shape);
  }
  fmt::print("\n| structure | bytes |\n|---|---:|\n");
  printBytes("topology: the nodes", [&] { return topologyOf(ranks); });
  printBytes("flags of arrival", [&] { return std::make_unique<ArrivalFlags>(MPI_COMM_NULL, 0, ranks, 0); });
  printBytes("arrangement of flagged ranks", [&] {
    FlaggedArrangement arrangement;
    arrangement.reserve(ranks);
    return arrangement;
  });
  printBytes("tables of the latest plans", [&] {
    std::array<ExpandedPlacement, ArrivalArrangement::kExpanded> placements;
    for (ExpandedPlacement& placement : placements) placement.reserve(ranks);
    return placements;
  });
  printBytes("announcements", [&] { return std::make_unique<Announcements>(MPI_COMM_NULL, 0, ranks, 0); });
  printBytes("what an announcement arranges", [&] {
    AnnouncedArrivals announced;
    announced.reserve(static_cast<std::size_t>(ranks));
    return announced;
  });
  fmt::print(
      "| agreement: summaries of calls, and decisions | {} |\n",
      2 * samplesPerEpoch(ranks) * static_cast<int>(sizeof(CallSummary)) + static_cast<int>(decisionBytes(ranks)));
  printBytes("arrivals of a key, on rank 0 alone", [&] { return std::make_unique<TrackedArrivals>(ranks); });
  fmt::print("| schedules, kept and being made, at most | {} |\n", kMostScheduleBytes);
  return 0;
}

}  // namespace
}  // namespace starling::bench

int main(int argc, char** argv) {
  constexpr int kMostRanks = 100'000;
  const std::optional<int> ranks =
      argc > 1 ? starling::bench::parseWholeNumber(argv[1], 2, kMostRanks) : std::optional(10'240);
  if (argc > 2 || !ranks) {
    fmt::print(stderr, "usage: starling-footprint [RANKS], which are 2 to {}\n", kMostRanks);
    return 2;
  }
  return starling::bench::measure(*ranks);
}
