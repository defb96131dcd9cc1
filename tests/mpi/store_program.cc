// A program that store_test starts: reduces at labelled sites and checks every sum. Exit status 1: something was wrong.
//
//   --limit-file-size BYTES   on rank 0, no file may grow beyond that from MPI_Init on: a disk that is full
//   --rendezvous PREFIX       after its calls rank 0 creates PREFIX.asked and waits for PREFIX.go
//   --count N                 reduces so many doubles in place of 2000
//   --calls N                 makes so many calls at each site in place of 60
//   --kill                    rank 0 ends itself after its calls, once what was learned is flushed
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "starling/starling.h"

namespace {

int g_calls = 60;
int g_count = 2000;

void check(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "store_program: wrong: %s\n", what);
  std::_Exit(EXIT_FAILURE);
}

void reduce(const char* label, MPI_Comm communicator) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  std::vector<double> values(static_cast<std::size_t>(g_count), rank + 1.0);
  check(
      tuned_allreduce_at(label, MPI_IN_PLACE, values.data(), g_count, MPI_DOUBLE, MPI_SUM, communicator) == MPI_SUCCESS,
      "the error code of a call");
  for (const double value : values) check(value == ranks * (ranks + 1) / 2.0, "a sum");
}

const char* argumentAfter(int argc, char** argv, const std::string& name) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] == name) return argv[i + 1];
  }
  return nullptr;
}

void limitFileSize(const char* bytes) {
  std::signal(SIGXFSZ, SIG_IGN);  // writing beyond the limit fails, as on a full disk, instead of ending the program
  const rlimit limit{std::strtoul(bytes, nullptr, 10), RLIM_INFINITY};
  check(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
}

void meet(const std::string& prefix) {
  std::ofstream(prefix + ".asked").flush();
  for (int i = 0; i < 3000 && !std::filesystem::exists(prefix + ".go"); ++i) usleep(10'000);
}

}  // namespace

int main(int argc, char** argv) {
  check(starling_flush() == STARLING_ERROR_STATE, "starling_flush() before MPI_Init");
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (const char* bytes = argumentAfter(argc, argv, "--limit-file-size"); bytes != nullptr && rank == 0) {
    limitFileSize(bytes);
  }
  if (const char* count = argumentAfter(argc, argv, "--count"); count != nullptr) g_count = std::atoi(count);
  if (const char* calls = argumentAfter(argc, argv, "--calls"); calls != nullptr) g_calls = std::atoi(calls);
  // The last ranks have a communicator of their own, whose root is not the writer of the database.
  MPI_Comm last = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, rank, &last);
  if (last != MPI_COMM_NULL) MPI_Comm_set_name(last, "last ranks");
  for (int call = 0; call < g_calls; ++call) {
    reduce("all", MPI_COMM_WORLD);
    if (last != MPI_COMM_NULL) reduce("last", last);
  }
  if (const char* prefix = argumentAfter(argc, argv, "--rendezvous"); prefix != nullptr && rank == 0) meet(prefix);
  if (std::string(argv[argc - 1]) == "--kill") {
    starling_flush();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) std::raise(SIGKILL);
  }
  if (last != MPI_COMM_NULL) MPI_Comm_free(&last);
  MPI_Finalize();
  check(starling_flush() == STARLING_ERROR_STATE, "starling_flush() after MPI_Finalize");
  return EXIT_SUCCESS;
}
