// Calls the allreduce of a node from threads in random order of arrival, to be built with the sanitizer of races.
//
//     node_races RANKS CALLS
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "thread_ranks.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: node_races RANKS CALLS\n");
    return 2;
  }
  const std::int32_t ranks = std::atoi(argv[1]);
  const std::uint64_t calls = std::strtoull(argv[2], nullptr, 10);
  std::atomic<std::int64_t> wrong{0};
  starling::runRanks(ranks, [&](std::int32_t rank, starling::NodeAllreduce& allreduce) {
    std::mt19937 alike(2026);
    std::mt19937 own(static_cast<std::uint32_t>(rank));
    for (std::uint64_t call = 0; call < calls; ++call) {
      const starling::DrawnCall drawn = starling::drawCall(alike, ranks, 1000);
      if (own() % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(own() % 100));
      wrong += starling::wrongElements(allreduce, drawn, rank, call);
    }
  });
  if (wrong != 0) std::fprintf(stderr, "%lld elements are wrong\n", static_cast<long long>(wrong.load()));
  return wrong == 0 ? 0 : 1;
}
