// starling-clock-error: how wrong the common time of a job's ranks is, over time, with drift followed and without.
//
//   starling-clock-error SECONDS [--plant RANKS_PER_MACHINE]
//
// Each second all ranks meet ten times, as at the ends of epochs. Rank 0 prints a row for each rank and second. What is
// true is known on one machine only: the clocks of hosts that differ by time namespaces (tools/lab/cluster), and faults
// that are planted: with --plant so many neighbouring ranks play a machine whose clock is hours ahead of the others'
// and drifts, by 50 millionths or as much less.
#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "mpi/machine/clock_domains.h"
#include "mpi/machine/world_clock.h"
#include "pause.h"

namespace starling::bench {
namespace {

constexpr Seconds kBetweenMeetings{0.1};
constexpr Seconds kBetweenRows{1.0};

// By how much this host's clock is ahead of the machine's, by its time namespace.
std::int64_t namespaceOffset() {
  std::ifstream file("/proc/self/timens_offsets");
  std::string clock;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  file >> clock >> seconds >> nanoseconds;
  return file ? 1'000'000'000 * seconds + nanoseconds : 0;
}

ClockFault faultOf(int machine) { return {{3600.5 * machine}, machine % 2 == 0 ? 50.0 : -50.0}; }

// One rank's row.
struct Row {
  double seconds;
  double error_us;
  double bound_us;
  double without_drift_us;  // error of the offset that was found at first
};

class Trial {
 public:
  Trial(int rank, int ranks_per_machine)
      : is_planted_(ranks_per_machine > 0),
        first_(is_planted_ ? faultOf(0) : ClockFault{}),
        fault_(is_planted_ ? faultOf(rank / ranks_per_machine) : ClockFault{}),
        clock_(fault_) {
    PMPI_Comm_dup(MPI_COMM_WORLD, &world_);
    const std::uint64_t machine = is_planted_ ? 1 + static_cast<std::uint64_t>(rank / ranks_per_machine) : 0;
    std::int64_t offset = namespaceOffset();
    own_offset_ = offset;
    PMPI_Bcast(&offset, 1, MPI_INT64_T, 0, world_);
    first_offset_ = offset;
    PMPI_Barrier(world_);
    const Seconds begin = right_.now();
    common_.open(world_, is_planted_ ? machine : clockIdentity(fault_));
    PMPI_Barrier(world_);
    took_ = right_.now() - begin;
    initial_ = common_.model();
    initial_.drift = 0.0;
    begin_ns_ = right_.nanoseconds();
  }
  ~Trial() {
    common_.finish();
    PMPI_Comm_free(&world_);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  Seconds synchronisation() const { return took_; }

  void meet() {
    PMPI_Barrier(world_);
    common_.keepUp();
  }

  Row row() const {
    const std::int64_t right = right_.nanoseconds();
    const std::int64_t local = fault_.apply(right);
    const std::int64_t truth = first_.apply(right - own_offset_ + first_offset_);
    const ClockModel model = common_.model();
    return {1e-9 * static_cast<double>(right - begin_ns_), 1e-3 * static_cast<double>(model.toOther(local) - truth),
            1e-3 * static_cast<double>(model.errorAt(local)),
            1e-3 * static_cast<double>(initial_.toOther(local) - truth)};
  }

 private:
  const bool is_planted_;
  const ClockFault first_;  // of rank 0's clock
  const ClockFault fault_;
  const MonotonicClock right_{};
  const MonotonicClock clock_;
  std::int64_t own_offset_ = 0;
  std::int64_t first_offset_ = 0;
  std::int64_t begin_ns_ = 0;
  MPI_Comm world_ = MPI_COMM_NULL;
  WorldClock common_{clock_};
  ClockModel initial_;
  Seconds took_;
};

void print(const Row& row, int rank, int ranks) {
  std::vector<Row> rows(static_cast<std::size_t>(ranks));
  constexpr int kNumbers = sizeof(Row) / sizeof(double);
  PMPI_Gather(&row, kNumbers, MPI_DOUBLE, rows.data(), kNumbers, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank > 0) return;
  for (int each = 0; each < ranks; ++each) {
    const Row& of_rank = rows[static_cast<std::size_t>(each)];
    fmt::print("{:.3f},{},{:.3f},{:.3f},{:.3f}\n", of_rank.seconds, each, of_rank.error_us, of_rank.bound_us,
               of_rank.without_drift_us);
  }
  std::fflush(stdout);
}

int measure(Seconds duration, int ranks_per_machine) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Trial trial(rank, ranks_per_machine);
  if (rank == 0) {
    fmt::print("# synchronised in {:.6f} s\nseconds,rank,error_us,bound_us,without_drift_us\n",
               trial.synchronisation().value);
  }
  print(trial.row(), rank, ranks);
  const auto rows = static_cast<int>(duration / kBetweenRows);
  for (int number = 0; number < rows; ++number) {
    for (int meeting = 0; meeting < static_cast<int>(kBetweenRows / kBetweenMeetings); ++meeting) {
      pauseFor(kBetweenMeetings);
      trial.meet();
    }
    print(trial.row(), rank, ranks);
  }
  return EXIT_SUCCESS;
}

int runProgram(const std::vector<std::string>& words) {
  const bool is_planted = words.size() == 3 && words[1] == "--plant";
  if (words.size() == 1 || is_planted) {
    const double seconds = std::atof(words[0].c_str());
    const int ranks_per_machine = is_planted ? std::atoi(words[2].c_str()) : 0;
    if (seconds >= 0.0 && (!is_planted || ranks_per_machine > 0)) return measure(Seconds{seconds}, ranks_per_machine);
  }
  fmt::print(stderr, "usage: starling-clock-error SECONDS [--plant RANKS_PER_MACHINE]\n");
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
