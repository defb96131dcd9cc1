// starling-setup-cost: what a communicator costs that the program makes, uses for a few calls, and frees.
//
//   starling-setup-cost [--calls K,...] [--count N] [--rounds R]
//
// Each round makes two duplicates of MPI_COMM_WORLD, one after the other and by turns first: one whose K calls the MPI
// library answers, and one whose K calls are tuned_allreduce. A communicator's time is from a barrier until its
// last rank has freed it. Rank 0 prints a row for each K: the medians of both, and the median and the middle half of
// their ratios, round by round. The lines before these have the calls that come first on MPI_COMM_WORLD, one by one.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "starling/starling.h"
#include "whole_number.h"

namespace starling::bench {
namespace {

constexpr int kFirstCalls = 8;  // on MPI_COMM_WORLD
constexpr int kMostWarmUpRounds = 20;

struct Trial {
  std::vector<int> calls{1, 5, 50};
  int count = 1;  // doubles
  int rounds = 400;
};

using Allreduce = int (*)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

class Stopwatch {
 public:
  explicit Stopwatch(int count) : in_(static_cast<std::size_t>(count), 1.0), out_(in_) {}

  // Returns how long the slowest rank takes, in microseconds.
  double time(const std::function<void()>& work) const {
    PMPI_Barrier(MPI_COMM_WORLD);
    const std::int64_t begin = clock_.nanoseconds();
    work();
    double took = 1e-3 * static_cast<double>(clock_.nanoseconds() - begin);
    PMPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return took;
  }

  void call(Allreduce allreduce, MPI_Comm communicator) {
    allreduce(in_.data(), out_.data(), static_cast<int>(in_.size()), MPI_DOUBLE, MPI_SUM, communicator);
  }

  double timeCommunicator(Allreduce allreduce, int calls) {
    return time([&] {
      MPI_Comm made = MPI_COMM_NULL;
      PMPI_Comm_dup(MPI_COMM_WORLD, &made);
      for (int number = 0; number < calls; ++number) call(allreduce, made);
      PMPI_Comm_free(&made);
    });
  }

 private:
  const MonotonicClock clock_{};
  std::vector<double> in_;
  std::vector<double> out_;
};

// Returns the value below which the given part of them lies.
double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(part * static_cast<double>(values.size() - 1)))];
}

void measureCommunicators(Stopwatch& stopwatch, int calls, int rounds, bool prints) {
  std::vector<double> native;
  std::vector<double> tuned;
  std::vector<double> ratios;
  for (int round = -std::min(kMostWarmUpRounds, rounds / 10); round < rounds; ++round) {
    double times[2] = {};
    for (int turn = 0; turn < 2; ++turn) {
      const bool is_tuned = (turn + round) % 2 != 0;
      times[is_tuned ? 1 : 0] = stopwatch.timeCommunicator(is_tuned ? tuned_allreduce : PMPI_Allreduce, calls);
    }
    if (round < 0) continue;
    native.push_back(times[0]);
    tuned.push_back(times[1]);
    ratios.push_back(times[1] / times[0]);
  }
  if (!prints) return;
  fmt::print("{},{:.2f},{:.2f},{:.3f},{:.3f},{:.3f},{}\n", calls, quantile(native, 0.5), quantile(tuned, 0.5),
             quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75), rounds);
}

int measure(const Trial& trial) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Stopwatch stopwatch(trial.count);
  const double started = stopwatch.time([] { starling_init(); });
  if (rank == 0) fmt::print("# microseconds\n# starling_init {:.2f}\n", started);
  for (int number = 1; number <= kFirstCalls; ++number) {
    const double native = stopwatch.time([&] { stopwatch.call(PMPI_Allreduce, MPI_COMM_WORLD); });
    const double tuned = stopwatch.time([&] { stopwatch.call(tuned_allreduce, MPI_COMM_WORLD); });
    if (rank == 0) fmt::print("# world, call {}: native {:.2f}, tuned {:.2f}\n", number, native, tuned);
  }
  if (rank == 0) fmt::print("calls,native,tuned,ratio,ratio_25,ratio_75,rounds\n");
  for (const int calls : trial.calls) measureCommunicators(stopwatch, calls, trial.rounds, rank == 0);
  return EXIT_SUCCESS;
}

// Returns the numbers, which are parted by commas; none where one of them is not 1 or more.
std::vector<int> parseNumbers(std::string_view text) {
  std::vector<int> numbers;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::optional<int> number = parseWholeNumber(text.substr(0, comma), 1);
    if (!number) return {};
    numbers.push_back(*number);
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

std::optional<Trial> parse(const std::vector<std::string>& words) {
  Trial trial;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::vector<int> numbers = parseNumbers(words[i + 1]);
    if (numbers.empty()) return std::nullopt;
    if (words[i] == "--calls") {
      trial.calls = numbers;
    } else if (words[i] == "--count" && numbers.size() == 1) {
      trial.count = numbers.front();
    } else if (words[i] == "--rounds" && numbers.size() == 1) {
      trial.rounds = numbers.front();
    } else {
      return std::nullopt;
    }
  }
  return words.size() % 2 == 0 ? std::optional(trial) : std::nullopt;
}

int runProgram(const std::vector<std::string>& words) {
  if (const std::optional<Trial> trial = parse(words)) return measure(*trial);
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    fmt::print(stderr, "usage: starling-setup-cost [--calls K,...] [--count N] [--rounds R], all of them 1 or more\n");
  }
  return 2;
}

}  // namespace
}  // namespace starling::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int exit_code = starling::bench::runProgram(std::vector<std::string>(argv + 1, argv + argc));
  MPI_Finalize();
  return exit_code;
}
