#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <string>

#include "arguments.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "benchmark.h"
#include "call_loop.h"
#include "common_time.h"
#include "loop_benchmark.h"
#include "mpi/machine/machine.h"
#include "report.h"
#include "shared_arrivals.h"
#include "workload.h"

namespace starling::bench {
namespace {

constexpr int kExitFault = 1;

// A file, or the standard output. It is opened before the measurement, so that a long run does not end in vain.
class Output {
 public:
  // Returns false when the file cannot be written.
  bool open(const std::string& path) {
    if (path.empty()) return true;
    wanted_ = true;
    is_file_ = path != "-";
    if (is_file_) file_.open(path);
    return !is_file_ || file_.is_open();
  }
  void write(const std::string& text) {
    if (wanted_) (is_file_ ? static_cast<std::ostream&>(file_) : std::cout) << text << std::flush;
  }
  bool isGood() const { return !is_file_ || file_.good(); }

 private:
  bool wanted_ = false;
  bool is_file_ = false;
  std::ofstream file_;
};

// Returns what rank 0 says, on all ranks.
bool agree(bool good) {
  int word = good ? 1 : 0;
  PMPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return word != 0;
}

std::string joined(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) text += (text.empty() ? "" : " ") + argument;
  return text;
}

Header describe(const std::vector<std::string>& words, const Arguments& arguments, bool is_one_clock) {
  Header header;
  header.environment = describeRun(MPI_COMM_WORLD).environment;
  header.clock = is_one_clock ? "shared" : "synchronised";
  if (header.environment.mpi_version.find("SMPI") != std::string::npos) {
    header.clock = "virtual";
    header.environment.processor = "simulated";
    header.environment.transport = "simulated";
  }
  header.command = joined(words);
  header.type = elementName(arguments.operands->element);
  return header;
}

// Writes the reports, on rank 0.
class Reporter {
 public:
  Reporter(const Header& header, const Arguments& arguments) : header_(header), arguments_(arguments) {}

  Status open() {
    for (const std::string* path : {&arguments_.json, &arguments_.csv}) {
      if (!(path == &arguments_.json ? json_ : csv_).open(*path)) {
        return Status::error(fmt::format("cannot write {}: is its folder there, and may you write to it?", *path));
      }
    }
    json_.write(headerRecord(header_, arguments_).dump() + "\n");
    return Status::ok();
  }

  void take(std::span<const Summary> summaries) {
    for (const Summary& summary : summaries) {
      write(resultRecord(header_, arguments_, summary));
      summaries_.push_back(summary);
    }
  }
  // Takes the record of a count whose calls followed each other at once.
  void take(cli::Json loop) {
    write(loop);
    loops_.push_back(std::move(loop));
  }

  Status finish() {
    const bool is_of_loops = arguments_.procedure != Procedure::kImposed;
    csv_.write(is_of_loops ? cli::formatCsv(loops_) : csvOf(header_, arguments_, summaries_));
    const bool stdout_taken = arguments_.json == "-" || arguments_.csv == "-";
    if (!arguments_.quiet && !stdout_taken) {
      fmt::print("{}", is_of_loops ? loopTable(header_, arguments_, loops_) : tableOf(header_, arguments_, summaries_));
    }
    if (!json_.isGood() || !csv_.isGood())
      return Status::error("a file could not be written to its end: is the disk full?");
    if (wrong_ > 0) return Status::error(fmt::format("{} elements were wrong: the column WRONG says where", wrong_));
    return Status::ok();
  }

 private:
  void write(const cli::Json& record) {
    json_.write(record.dump() + "\n");
    wrong_ += record["wrong_elements"].get<std::int64_t>();
  }

  const Header& header_;
  const Arguments& arguments_;
  Output json_;
  Output csv_;
  std::vector<Summary> summaries_;
  cli::Json loops_ = cli::Json::array();
  std::int64_t wrong_ = 0;
};

int complain(int rank, const Status& status) {
  if (rank == 0) fmt::print(stderr, "starling-bench: {}\n", status.message());
  return kExitFault;
}

// Ends the program from one rank alone, since the others may be waiting for it in a collective operation.
[[noreturn]] void giveUp(int rank, const std::string& reason) {
  fmt::print(stderr, "starling-bench: rank {} cannot go on: {}\n", rank, reason);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, kExitFault);
  std::abort();
}

std::string errorText(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  return text.data();
}

int measureAll(const std::vector<std::string>& words, const Arguments& arguments, int rank) {
  const ParsedOptions environment = parseEnvironment();
  for (const std::string& error : environment.errors) logOnce(LogLevel::kWarning, error, error);
  const ClockFault fault = environment.options.clock_fault;
  const MonotonicClock clock(fault);
  CommonTime time(clock, fault);
  const std::unique_ptr<Workload> workload = makeWorkload(*arguments.operands, arguments.slow_cost);
  std::unique_ptr<Benchmark> benchmark;  // of calls under imposed patterns
  if (arguments.procedure == Procedure::kImposed) {
    benchmark = std::make_unique<Benchmark>(arguments, clock, time, *workload);
  }
  Header header = describe(words, arguments, time.isOneClock());
  if (benchmark) header.model = benchmark->probedModel();
  Reporter reporter(header, arguments);
  Status status = rank == 0 ? reporter.open() : Status::ok();
  if (!agree(status.isOk())) return complain(rank, status);
  const auto take_loop = [&](const auto& figures) { reporter.take(recordOf(header, arguments, figures)); };
  int code = MPI_SUCCESS;
  switch (arguments.procedure) {
    case Procedure::kImposed:
      code = benchmark->run([&reporter](std::span<const Summary> summaries) { reporter.take(summaries); });
      break;
    case Procedure::kBackToBack:
      code = timeBackToBack(arguments, clock, *workload, take_loop);
      break;
    case Procedure::kOverhead:
      code = timeOverhead(arguments, clock, *workload, take_loop);
      break;
  }
  if (code != MPI_SUCCESS) giveUp(rank, errorText(code));
  if (rank == 0) status = reporter.finish();
  return agree(status.isOk()) ? 0 : complain(rank, status);
}

int runProgram(const std::vector<std::string>& words) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ParsedArguments parsed = parseArguments(words, ranks);
  if (parsed.arguments) {
    const Status status = checkNatives(parsed.arguments->collective, parsed.arguments->algorithms);
    if (!status.isOk()) parsed = usageError(status.message());
  }
  if (parsed.arguments && parsed.arguments->procedure == Procedure::kOverhead && !isAllreduceWrapped()) {
    parsed = usageError(
        "--overhead: MPI_Allreduce is the MPI library's own in this run, so there is nothing to compare: start it with "
        "the preload library, as in mpirun -x LD_PRELOAD=$PWD/build/release/lib/libstarling_preload.so");
  }
  if (parsed.arguments && parsed.arguments->pattern.kind == PatternKind::kRecorded) {
    const Status status = shareRecordedArrivals(*parsed.arguments);
    if (!status.isOk()) return complain(rank, status);
  }
  if (parsed.arguments) return measureAll(words, *parsed.arguments, rank);
  if (rank == 0) fmt::print(parsed.exit_code == 0 ? stdout : stderr, "{}", parsed.text);
  return parsed.exit_code;
}

}  // namespace
}  // namespace starling::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int exit_code = 0;
  try {
    exit_code = starling::bench::runProgram(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::bad_alloc&) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    starling::bench::giveUp(rank, "memory is short; --count needs three times its bytes on every rank");
  }
  MPI_Finalize();
  return exit_code;
}
