#include "mpi/agreement.h"

#include <bit>

namespace starling {
namespace {

// Bit k is set when 2^k bytes are there. The bitwise AND of all ranks' masks is the mask of the smallest capacity.
std::uint64_t capacityMask(std::int64_t bytes) {
  if (bytes <= 0) return 0;
  const auto highest = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes))) - 1;
  return ((std::uint64_t{1} << highest) - 1) | (std::uint64_t{1} << highest);
}

}  // namespace

Agreement::Agreement(MPI_Comm private_communicator, int rank, int ranks, std::size_t decision_bytes)
    : communicator_(private_communicator), decisions_(decision_bytes) {
  if (rank == 0) gathered_.resize(static_cast<std::size_t>(ranks));
}

int Agreement::startEpoch(std::uint64_t sites_hash, std::int64_t scratch_bytes, const EpochStamps& stamps) {
  // All hashes are equal exactly when the AND of them and the AND of their complements have no common zero bit.
  compared_in_ = {sites_hash, ~sites_hash, capacityMask(scratch_bytes)};
  own_stamps_ = stamps;
  epoch_open_ = true;
  const int code = PMPI_Iallreduce(compared_in_.data(), compared_out_.data(), 3, MPI_UINT64_T, MPI_BAND, communicator_,
                                   &epoch_requests_[0]);
  if (code != MPI_SUCCESS) return code;
  constexpr int kDoubles = sizeof(EpochStamps) / sizeof(double);
  return PMPI_Igather(&own_stamps_, kDoubles, MPI_DOUBLE, gathered_.data(), kDoubles, MPI_DOUBLE, 0, communicator_,
                      &epoch_requests_[1]);
}

int Agreement::finishEpoch(Outcome& outcome) {
  epoch_open_ = false;
  const int code = PMPI_Waitall(2, epoch_requests_.data(), MPI_STATUSES_IGNORE);
  if (code != MPI_SUCCESS) return code;
  outcome.sites_agree = compared_out_[0] == ~compared_out_[1];
  outcome.scratch_bytes = static_cast<std::int64_t>(std::bit_floor(compared_out_[2]));
  return MPI_SUCCESS;
}

int Agreement::startDecisions() {
  decisions_open_ = true;
  return PMPI_Ibcast(decisions_.data(), static_cast<int>(decisions_.size()), MPI_BYTE, 0, communicator_,
                     &decisions_request_);
}

int Agreement::finishDecisions() {
  decisions_open_ = false;
  return PMPI_Wait(&decisions_request_, MPI_STATUS_IGNORE);
}

}  // namespace starling
