#include "mpi/period_exchange.h"

#include <limits>
#include <numeric>
#include <utility>

namespace starling {

PeriodExchange::PeriodExchange(int rank, int ranks)
    : rank_(static_cast<std::size_t>(rank)),
      ranks_(static_cast<std::size_t>(ranks)),
      sent_(2 * ranks_ + 1, std::numeric_limits<std::int64_t>::min()),
      received_(sent_.size()) {}

PeriodExchange::~PeriodExchange() {
  if (!isOpen()) return;
  new std::vector<std::int64_t>(std::move(sent_));
  new std::vector<std::int64_t>(std::move(received_));
}

// Each rank has entries of its own. A reduction needs log2 P messages per rank, where libraries gather with P.
int PeriodExchange::start(MPI_Comm communicator, const Figures& figures) {
  sent_[rank_] = figures.value;
  sent_[ranks_ + rank_] = figures.duration_ns;
  sent_.back() = -figures.capacity;
  return PMPI_Iallreduce(sent_.data(), received_.data(), static_cast<int>(sent_.size()), MPI_INT64_T, MPI_MAX,
                         communicator, &request_);
}

std::int64_t PeriodExchange::durationNs() const {
  const auto first = received_.begin() + static_cast<std::ptrdiff_t>(ranks_);
  return std::accumulate(first, received_.end() - 1, std::int64_t{0});
}

int PeriodExchange::finish() { return PMPI_Wait(&request_, MPI_STATUS_IGNORE); }

}  // namespace starling
