#include "mpi/exchange/agreement.h"

#include <algorithm>
#include <bit>

#include "tuner/epoch_messages.h"

namespace starling {
namespace {

// One of these bits is set in the outcome when every rank sets it.
constexpr std::uint64_t kNoDeviceDriver = 1;
constexpr std::uint64_t kHasRoom = 2;
constexpr int kFlags = 2;
// A capacity has a bit for each power of two that is there. The bitwise AND of all ranks' masks is the mask of the
// smallest capacity. Two masks and the flags make a number.
constexpr int kMaskBits = 31;
static_assert(Agreement::kMaxCapacity == std::int64_t{1} << (kMaskBits - 1), "the largest capacity has a bit");
constexpr std::uint64_t kMask = (std::uint64_t{1} << kMaskBits) - 1;

std::uint64_t capacityMask(std::int64_t bytes) {
  const auto powers = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0))));
  return (std::uint64_t{1} << std::min(powers, kMaskBits)) - 1;
}

std::int64_t capacityOf(std::uint64_t mask) {
  const int powers = std::popcount(mask & kMask);
  return powers == 0 ? 0 : std::int64_t{1} << (powers - 1);
}

// SimGrid's MPI gets types that are made of others wrong in nonblocking reductions. It takes no message apart, so that
// summaries can travel as bytes there. Others may take one apart between elements.
constexpr int kElementsPerSummary = kIsSimulated ? sizeof(CallSummary) : 1;

void addSummaries(void* in, void* inout, int* elements, MPI_Datatype* /*type*/) {
  const auto* const others = static_cast<const CallSummary*>(in);
  auto* const sums = static_cast<CallSummary*>(inout);
  for (int i = 0; i < *elements / kElementsPerSummary; ++i) sums[i].add(others[i]);
}

struct Reduction {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;
};

Reduction& reduction() {
  static Reduction made;
  return made;
}

}  // namespace

void prepareAgreements() {
  Reduction& made = reduction();
  if (made.operation != MPI_OP_NULL) return;
  PMPI_Type_contiguous(sizeof(CallSummary) / kElementsPerSummary, MPI_BYTE, &made.type);
  PMPI_Type_commit(&made.type);
  PMPI_Op_create(addSummaries, 1, &made.operation);
}

void endAgreements() {
  Reduction& made = reduction();
  if (made.operation == MPI_OP_NULL) return;
  PMPI_Type_free(&made.type);
  PMPI_Op_free(&made.operation);
}

Agreement::Agreement(MPI_Comm private_communicator, int ranks)
    : communicator_(private_communicator), buffers_(std::make_unique<Buffers>()) {
  prepareAgreements();
  buffers_->decisions.resize(decisionBytes(ranks));
  buffers_->samples_in.resize(static_cast<std::size_t>(samplesPerEpoch(ranks)));
  buffers_->samples_out.resize(buffers_->samples_in.size());
}

Agreement::~Agreement() {
  if (epoch_open_ || decisions_open_) static_cast<void>(buffers_.release());
}

int Agreement::startEpoch(const Report& report, std::span<const CallSummary> samples) {
  // All hashes are equal exactly when the AND of them and the AND of their complements have no common zero bit.
  const std::uint64_t bits = (report.has_device_driver ? 0 : kNoDeviceDriver) | (report.has_room ? kHasRoom : 0);
  buffers_->compared_in = {report.sites_hash, ~report.sites_hash,
                           bits | capacityMask(report.scratch_bytes) << kFlags |
                               capacityMask(report.schedule_bytes) << (kFlags + kMaskBits)};
  buffers_->samples = samples.size();
  std::copy(samples.begin(), samples.end(), buffers_->samples_in.begin());
  epoch_open_ = true;
  const int code =
      compared_.start(buffers_->compared_in.data(), buffers_->compared_out.data(),
                      static_cast<int>(buffers_->compared_in.size()), MPI_UINT64_T, MPI_BAND, communicator_);
  if (code != MPI_SUCCESS || samples.empty()) return code;
  const int elements = static_cast<int>(samples.size()) * kElementsPerSummary;
  const MPI_Datatype type = kElementsPerSummary == 1 ? reduction().type : MPI_BYTE;
  return PMPI_Ireduce(buffers_->samples_in.data(), buffers_->samples_out.data(), elements, type, reduction().operation,
                      0, communicator_, &samples_request_);
}

int Agreement::finishEpoch(Outcome& outcome) {
  int code = compared_.finish();
  if (code == MPI_SUCCESS) code = PMPI_Wait(&samples_request_, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  epoch_open_ = false;
  const Compared& compared = buffers_->compared_out;
  outcome.sites_agree = compared[0] == ~compared[1];
  outcome.scratch_bytes = capacityOf(compared[2] >> kFlags);
  outcome.schedule_bytes = capacityOf(compared[2] >> (kFlags + kMaskBits));
  outcome.has_room = (compared[2] & kHasRoom) != 0;
  outcome.has_device_driver = (compared[2] & kNoDeviceDriver) == 0;
  return MPI_SUCCESS;
}

// An error counts as complete: whoever finishes the epoch hears of it.
bool Agreement::epochIsComplete() {
  if (!compared_.isComplete()) return false;
  int complete = 0;
  const int code = PMPI_Test(&samples_request_, &complete, MPI_STATUS_IGNORE);
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
