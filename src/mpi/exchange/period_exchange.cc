#include "mpi/exchange/period_exchange.h"

#include <limits>
#include <numeric>

namespace starling {

PeriodExchange::PeriodExchange(int rank, int ranks)
    : rank_(static_cast<std::size_t>(rank)),
      ranks_(static_cast<std::size_t>(ranks)),
      vectors_(std::make_unique<Vectors>()) {
  vectors_->sent.assign(2 * ranks_ + 2, std::numeric_limits<std::int64_t>::min());
  vectors_->received.resize(vectors_->sent.size());
}

PeriodExchange::~PeriodExchange() {
  if (isOpen()) static_cast<void>(vectors_.release());
}

// Gives each rank entries of its own in one vector, all others at the least value, so that the largest of each entry is
// the one that was set. A reduction needs log2 P messages per rank, while a gather in some libraries needs P.
int PeriodExchange::start(MPI_Comm communicator, const Figures& figures) {
  vectors_->sent[rank_] = figures.value;
  vectors_->sent[ranks_ + rank_] = figures.duration_ns;
  vectors_->sent[2 * ranks_] = figures.clock_error_ns;
  vectors_->sent.back() = -figures.capacity;
  return combination_.start(vectors_->sent.data(), vectors_->received.data(), static_cast<int>(vectors_->sent.size()),
                            MPI_INT64_T, MPI_MAX, communicator);
}

std::int64_t PeriodExchange::durationNs() const {
  const auto first = vectors_->received.begin() + static_cast<std::ptrdiff_t>(ranks_);
  return std::accumulate(first, first + static_cast<std::ptrdiff_t>(ranks_), std::int64_t{0});
}

}  // namespace starling
