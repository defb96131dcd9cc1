// A loop as data-parallel training has it: every rank computes, one of them longer than the others, and all add up
// their gradients. Plain MPI: Starling is put before it by `starling run`. The computation is emulated by sleeping, so
// that there may be more ranks than cores.
#include <mpi.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace {

struct Settings {
  int iterations = 200;
  int count = 145578;  // floats in the gradient
  int late_rank = 1;
  int late_ms = 20;
  int compute_ms = 5;
};

struct SettingRow {
  const char* flag;
  int Settings::*field;
  int minimum;
  const char* help;
};

constexpr int kMaximum = 100'000'000;
constexpr SettingRow kSettingRows[] = {
    {"--iterations", &Settings::iterations, 1, "reductions to make"},
    {"--count", &Settings::count, 0, "floats in each of them"},
    {"--late-rank", &Settings::late_rank, 0, "the rank that computes longer"},
    {"--late-ms", &Settings::late_ms, 0, "by how many milliseconds it does"},
    {"--compute-ms", &Settings::compute_ms, 0, "milliseconds that every rank computes"},
};

void printUsage() {
  std::printf("usage: training_loop [--option N]...\n");
  for (const SettingRow& row : kSettingRows) {
    std::printf("  %-13s %s (default %d)\n", row.flag, row.help, Settings{}.*row.field);
  }
}

// Takes one option into `settings`; false when the option or its value is not understood.
bool apply(std::string_view flag, std::string_view text, Settings& settings) {
  for (const SettingRow& row : kSettingRows) {
    if (flag != row.flag) continue;
    int value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size() || value < row.minimum || value > kMaximum) {
      return false;
    }
    settings.*row.field = value;
    return true;
  }
  return false;
}

// The settings of the command line. Rank 0 says what is wrong with it when there are none.
std::optional<Settings> parse(int argc, char** argv, int rank, int ranks) {
  Settings settings;
  for (int i = 1; i < argc; i += 2) {
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (apply(argv[i], value, settings)) continue;
    if (rank == 0) std::fprintf(stderr, "training_loop: \"%s %s\" is not understood; see --help\n", argv[i], value);
    return std::nullopt;
  }
  if (settings.late_rank >= ranks) {
    if (rank == 0) {
      std::fprintf(stderr, "training_loop: --late-rank %d: there are ranks 0 to %d\n", settings.late_rank, ranks - 1);
    }
    return std::nullopt;
  }
  return settings;
}

// Element i of what `rank` contributes in one iteration: small whole numbers, so that the sum is exact in any order.
float gradient(int iteration, int rank, int i) {
  return static_cast<float>((rank % 64 + 1) * ((i + iteration) % 13 + 1));
}

// Its sum over ranks 0 to `ranks` - 1, element by element, without MPI.
std::vector<float> expectedSum(int iteration, int ranks, int count) {
  std::vector<float> sum(static_cast<std::size_t>(count), 0.0F);
  for (int rank = 0; rank < ranks; ++rank) {
    for (int i = 0; i < count; ++i) sum[static_cast<std::size_t>(i)] += gradient(iteration, rank, i);
  }
  return sum;
}

struct Outcome {
  long long wrong = 0;  // elements, on this rank
  double seconds_per_iteration = 0.0;
};

Outcome train(const Settings& settings, int rank, int ranks) {
  std::vector<float> local(static_cast<std::size_t>(settings.count));
  std::vector<float> sum(local.size());
  const int compute_ms = settings.compute_ms + (rank == settings.late_rank ? settings.late_ms : 0);
  Outcome outcome;
  double seconds = 0.0;
  for (int iteration = 0; iteration < settings.iterations; ++iteration) {
    for (int i = 0; i < settings.count; ++i) local[static_cast<std::size_t>(i)] = gradient(iteration, rank, i);
    // Twice, as in Proficz's benchmark (figure 9): the ranks leave a barrier closer together when they met just before.
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    std::this_thread::sleep_for(std::chrono::milliseconds(compute_ms));
    MPI_Allreduce(local.data(), sum.data(), settings.count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    seconds += MPI_Wtime() - start;
    const std::vector<float> expected = expectedSum(iteration, ranks, settings.count);
    for (std::size_t i = 0; i < sum.size(); ++i) outcome.wrong += sum[i] == expected[i] ? 0 : 1;
  }
  outcome.seconds_per_iteration = seconds / settings.iterations;
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    if (rank == 0) printUsage();
    MPI_Finalize();
    return 0;
  }
  const std::optional<Settings> settings = parse(argc, argv, rank, ranks);
  if (!settings) {
    MPI_Finalize();
    return 2;
  }
  const Outcome outcome = train(*settings, rank, ranks);
  long long wrong = 0;
  MPI_Allreduce(&outcome.wrong, &wrong, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("%d iterations of %d floats on %d ranks: %lld wrong elements, %.2f ms per iteration\n",
                settings->iterations, settings->count, ranks, wrong, 1e3 * outcome.seconds_per_iteration);
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
