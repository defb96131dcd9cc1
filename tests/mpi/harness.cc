#include "harness.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace starling {

int worldRank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int worldSize() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

Watch::Watch(std::string what, std::chrono::seconds patience) : rank_(worldRank()), patience_(patience) {
  phase(std::move(what));
  thread_ = std::thread([this] { work(); });
}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Watch::phase(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
  deadline_ = std::chrono::steady_clock::now() + patience_;
}

void Watch::work() {
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    // A new phase only moves the deadline on: it need not wake this thread.
    if (changed_.wait_until(lock, deadline_) == std::cv_status::no_timeout) continue;
    if (is_over_ || std::chrono::steady_clock::now() < deadline_) continue;
    std::fprintf(stderr, "rank %d hung in %s\n", rank_, what_.c_str());
    std::this_thread::sleep_for(std::chrono::seconds(1));  // for the other ranks to say the same of themselves
    ::_exit(EXIT_FAILURE);                                 // and the launcher ends them all
  }
}

bool isEqualOnAllRanks(std::uint64_t value, MPI_Comm communicator) {
  const std::array<std::uint64_t, 2> mine{value, ~value};
  std::array<std::uint64_t, 2> all{};
  PMPI_Allreduce(mine.data(), all.data(), 2, MPI_UINT64_T, MPI_BAND, communicator);
  return all[0] == ~all[1];
}

std::uint64_t hashOfBytes(const void* bytes, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (std::size_t i = 0; i < size; ++i) {
    hash = (hash ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001b3ULL;
  }
  return hash;
}

ScopedVariable::ScopedVariable(const char* name, const std::string& value) : name_(name) {
  if (const char* before = std::getenv(name)) before_ = before;
  ::setenv(name, value.c_str(), 1);
}

ScopedVariable::~ScopedVariable() {
  if (before_) {
    ::setenv(name_, before_->c_str(), 1);
  } else {
    ::unsetenv(name_);
  }
}

namespace {

// Takes the place of GoogleTest's printer on all ranks but the first.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s, %s:%d: %s\n", worldRank(), test_.c_str(),
                 result.file_name() != nullptr ? result.file_name() : "", result.line_number(), result.message());
  }

 private:
  std::string test_;  // GoogleTest must not be asked for it while it tells of a failure
};

class WatchEveryTest : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo& test) override {
    watch_ = std::make_unique<Watch>(std::string(test.test_suite_name()) + "." + test.name());
  }
  void OnTestEnd(const testing::TestInfo&) override { watch_.reset(); }

 private:
  std::unique_ptr<Watch> watch_;
};

void setListeners(int rank) {
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter);
  }
  listeners.Append(new WatchEveryTest);
}

// 0 when all ranks' tests passed.
int runOnAllRanks() {
  const int mine = RUN_ALL_TESTS();
  int worst = 0;
  PMPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

bool hasArgument(int argc, char** argv, const char* argument) {
  return std::any_of(argv, argv + argc, [argument](const char* text) { return std::strcmp(text, argument) == 0; });
}

}  // namespace
ScopedTwoSides::ScopedTwoSides() {
  MPI_Comm_split(MPI_COMM_WORLD, isEven() ? 0 : 1, worldRank(), &side_);
  MPI_Intercomm_create(side_, 0, MPI_COMM_WORLD, isEven() ? 1 : 0, 5, &across_);
}

ScopedTwoSides::~ScopedTwoSides() {
  MPI_Comm_free(&across_);
  MPI_Comm_free(&side_);
}

}  // namespace starling

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (std::getenv("STARLING_DB") == nullptr) {
    std::fprintf(stderr, "STARLING_DB is not set, and tests must not write the user's database: use ctest\n");
    return EXIT_FAILURE;
  }
  const int wanted = starling::hasArgument(argc, argv, "--thread-multiple") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  if (provided < wanted) {
    std::fprintf(stderr, "this MPI library does not provide MPI_THREAD_MULTIPLE\n");
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  starling::setListeners(starling::worldRank());
  const int result = starling::runOnAllRanks();
  {
    const starling::Watch watch("MPI_Finalize");
    MPI_Finalize();
  }
  return result;
}
