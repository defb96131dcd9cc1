#include "mpi/exchange/agreement.h"

#include <bit>

namespace starling {
namespace {

// One of these bits is set in the outcome when every rank sets it.
constexpr std::uint64_t kNoDeviceDriver = 1;
constexpr std::uint64_t kHasRoom = 2;

// Bit k is set when 2^k bytes are there. The bitwise AND of all ranks' masks is the mask of the smallest capacity.
std::uint64_t capacityMask(std::int64_t bytes) {
  if (bytes <= 0) return 0;
  const auto highest = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes))) - 1;
  return ((std::uint64_t{1} << highest) - 1) | (std::uint64_t{1} << highest);
}

std::int64_t capacityOf(std::uint64_t mask) { return static_cast<std::int64_t>(std::bit_floor(mask)); }

}  // namespace

Agreement::Agreement(MPI_Comm private_communicator, int rank, int ranks, std::size_t decision_bytes)
    : communicator_(private_communicator), buffers_(std::make_unique<Buffers>()) {
  buffers_->decisions.resize(decision_bytes);
  if (rank == 0) buffers_->gathered.resize(static_cast<std::size_t>(ranks));
}

Agreement::~Agreement() {
  if (epoch_open_ || decisions_open_) static_cast<void>(buffers_.release());
}

int Agreement::startEpoch(const Report& report, const EpochStamps& stamps) {
  // All hashes are equal exactly when the AND of them and the AND of their complements have no common zero bit.
  const std::uint64_t bits = (report.has_device_driver ? 0 : kNoDeviceDriver) | (report.has_room ? kHasRoom : 0);
  buffers_->compared_in = {report.sites_hash, ~report.sites_hash, capacityMask(report.scratch_bytes),
                           capacityMask(report.schedule_bytes), bits};
  buffers_->own_stamps = stamps;
  epoch_open_ = true;
  const int code = PMPI_Iallreduce(buffers_->compared_in.data(), buffers_->compared_out.data(), kCompared, MPI_UINT64_T,
                                   MPI_BAND, communicator_, &epoch_requests_[0]);
  if (code != MPI_SUCCESS) return code;
  constexpr int kNumbers = sizeof(EpochStamps) / sizeof(std::int64_t);
  return PMPI_Igather(&buffers_->own_stamps, kNumbers, MPI_INT64_T, buffers_->gathered.data(), kNumbers, MPI_INT64_T, 0,
                      communicator_, &epoch_requests_[1]);
}

int Agreement::finishEpoch(Outcome& outcome) {
  const int code = PMPI_Waitall(2, epoch_requests_.data(), MPI_STATUSES_IGNORE);
  if (code != MPI_SUCCESS) return code;
  epoch_open_ = false;
  const Compared& compared = buffers_->compared_out;
  outcome.sites_agree = compared[0] == ~compared[1];
  outcome.scratch_bytes = capacityOf(compared[2]);
  outcome.schedule_bytes = capacityOf(compared[3]);
  outcome.has_room = (compared[4] & kHasRoom) != 0;
  outcome.has_device_driver = (compared[4] & kNoDeviceDriver) == 0;
  return MPI_SUCCESS;
}

// An error counts as complete: whoever finishes the epoch hears of it.
bool Agreement::epochIsComplete() {
  int complete = 0;
  const int code = PMPI_Testall(2, epoch_requests_.data(), &complete, MPI_STATUSES_IGNORE);
  return code != MPI_SUCCESS || complete != 0;
}

int Agreement::startDecisions() {
  decisions_open_ = true;
  return PMPI_Ibcast(buffers_->decisions.data(), static_cast<int>(buffers_->decisions.size()), MPI_BYTE, 0,
                     communicator_, &decisions_request_);
}

int Agreement::finishDecisions() {
  const int code = PMPI_Wait(&decisions_request_, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS) decisions_open_ = false;
  return code;
}

bool Agreement::decisionsAreComplete() {
  int complete = 0;
  const int code = PMPI_Test(&decisions_request_, &complete, MPI_STATUS_IGNORE);
  return code != MPI_SUCCESS || complete != 0;
}

}  // namespace starling
