// What each rank has measured, told to all between their calls.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace starling {

// A nonblocking MPI_Iallreduce on a private communicator: started at the end of one period, complete when it is asked
// for at the end of the next. All ranks call the same functions in the same order. Returns MPI error codes. No
// allocation after construction. THREADS: one.
class PeriodExchange {
 public:
  PeriodExchange(int rank, int ranks);
  // Of one that is open MPI still has the vectors: they are never freed.
  ~PeriodExchange();
  PeriodExchange(const PeriodExchange&) = delete;
  PeriodExchange& operator=(const PeriodExchange&) = delete;

  // What one rank tells: its measurement, what its calls took on average, and the bytes of memory it has for calls.
  struct Figures {
    std::int64_t value = 0;
    std::int64_t duration_ns = 0;
    std::int64_t capacity = 0;
  };
  int start(MPI_Comm communicator, const Figures& figures);
  bool isOpen() const { return request_ != MPI_REQUEST_NULL; }
  // REQUIRES: isOpen().
  int finish();

  // Of the latest exchange that was finished: values by rank, the sum of all durations, the least capacity.
  std::span<const std::int64_t> values() const { return std::span(vectors_->received).first(ranks_); }
  std::int64_t durationNs() const;
  std::int64_t capacity() const { return -vectors_->received.back(); }

 private:
  std::size_t rank_;
  std::size_t ranks_;
  // By rank the values, then the durations; the last one is the capacity, negative: the largest of these is the least.
  struct Vectors {
    std::vector<std::int64_t> sent;
    std::vector<std::int64_t> received;
  };
  std::unique_ptr<Vectors> vectors_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace starling
