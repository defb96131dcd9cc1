// What the MPI tests share: a main() that runs all tests on all ranks of MPI_COMM_WORLD, and a watchdog.
//
// A failure on any rank fails the program. Rank 0 reports as GoogleTest does, the others only what fails on them. Tests
// compare with EXPECT_, for a rank that leaves a test early is missed in the next collective operation.
#pragma once

#include <mpi.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace starling {

// Of MPI_COMM_WORLD.
int worldRank();
int worldSize();

// Aborts the program, with a line on stderr that says what hung, unless it is destroyed or renewed in time. Every test
// has one of its own. The patience is for machines that do something else, too: ranks that yield get little of these.
class Watch {
 public:
  explicit Watch(std::string what, std::chrono::seconds patience = std::chrono::seconds(240));
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // The next phase begins: it has its own name and the whole patience again.
  void phase(std::string what);

 private:
  void work();

  const int rank_;
  const std::chrono::seconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  std::chrono::steady_clock::time_point deadline_;
  bool is_over_ = false;
  std::thread thread_;
};

// Collective: all ranks of the communicator passed equal values.
bool isEqualOnAllRanks(std::uint64_t value, MPI_Comm communicator);

// Of the bytes; not 0.
std::uint64_t hashOfBytes(const void* bytes, std::size_t size);

// Sets an environment variable on this rank while it lives. Options that the ranks have not yet agreed on are read when
// a communicator makes its first call.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// A duplicate of a communicator, freed at the end. Collective at both ends.
class ScopedDuplicate {
 public:
  explicit ScopedDuplicate(MPI_Comm original) { MPI_Comm_dup(original, &communicator_); }
  ~ScopedDuplicate() { MPI_Comm_free(&communicator_); }
  ScopedDuplicate(const ScopedDuplicate&) = delete;
  ScopedDuplicate& operator=(const ScopedDuplicate&) = delete;

  MPI_Comm get() const { return communicator_; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

// While it lives, errors on a communicator and on the world, of which MPI raises some there, are thrown.
class ThrowingHandler {
 public:
  struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  explicit ThrowingHandler(MPI_Comm communicator) {
    MPI_Comm_create_errhandler(throwError, &handler_);
    MPI_Comm_set_errhandler(communicator, handler_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler_);
  }
  ~ThrowingHandler() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler_);
  }
  ThrowingHandler(const ThrowingHandler&) = delete;
  ThrowingHandler& operator=(const ThrowingHandler&) = delete;

 private:
  static void throwError(MPI_Comm*, int*, ...) { throw Error("MPI refuses the call"); }

  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

// An intercommunicator between the even and the odd ranks of the world. Collective at both ends. REQUIRES: two ranks.
class ScopedTwoSides {
 public:
  ScopedTwoSides();
  ~ScopedTwoSides();
  ScopedTwoSides(const ScopedTwoSides&) = delete;
  ScopedTwoSides& operator=(const ScopedTwoSides&) = delete;

  MPI_Comm get() const { return across_; }
  static bool isEven() { return worldRank() % 2 == 0; }

 private:
  MPI_Comm side_ = MPI_COMM_NULL;
  MPI_Comm across_ = MPI_COMM_NULL;
};

}  // namespace starling
