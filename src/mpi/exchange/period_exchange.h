// Tells all ranks what each has measured, between their calls.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mpi/exchange/pending_allreduce.h"

namespace starling {

// A nonblocking allreduce on a private communicator: it is started at the end of one period and completed at the end of
// the next. All ranks call the same functions in the same order. Functions return MPI error codes. Nothing is
// allocated after construction. THREADS: one.
class PeriodExchange {
 public:
  PeriodExchange(int rank, int ranks);
  // While an exchange is open MPI still writes to the vectors, so the destructor of an open one never frees them.
  ~PeriodExchange();
  PeriodExchange(const PeriodExchange&) = delete;
  PeriodExchange& operator=(const PeriodExchange&) = delete;

  // One rank's part: its measurement, what its calls took on average, and the bytes of memory it has for calls.
  struct Figures {
    std::int64_t value = 0;
    std::int64_t duration_ns = 0;
    std::int64_t capacity = 0;
    std::int64_t clock_error_ns = 0;  // by which the measurement may be wrong, if it is a stamp
  };
  int start(MPI_Comm communicator, const Figures& figures);
  // These do what the functions of PendingAllreduce do.
  bool isOpen() const { return combination_.isOpen(); }
  int advance() { return combination_.advance(); }
  int finish() { return combination_.finish(); }
  bool isComplete() { return combination_.isComplete(); }

  // These tell what came of the latest finished exchange: the values by rank, the sum of all durations, the least
  // capacity, the greatest error.
  std::span<const std::int64_t> values() const { return std::span(vectors_->received).first(ranks_); }
  std::int64_t durationNs() const;
  std::int64_t capacity() const { return -vectors_->received.back(); }
  std::int64_t clockErrorNs() const { return vectors_->received[2 * ranks_]; }

 private:
  std::size_t rank_;
  std::size_t ranks_;
  // A vector has the values by rank, then the durations by rank, then the error. Its last entry is the capacity with
  // its sign changed, so that the largest of these is the least capacity.
  struct Vectors {
    std::vector<std::int64_t> sent;
    std::vector<std::int64_t> received;
  };
  std::unique_ptr<Vectors> vectors_;
  PendingAllreduce combination_;
};

}  // namespace starling
