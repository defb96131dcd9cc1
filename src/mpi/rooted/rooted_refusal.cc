#include "mpi/rooted/rooted_refusal.h"

#include "mpi/execution/call_kind.h"
#include "mpi/execution/channel.h"

namespace starling {

void RootedRefusal::beforeCall(MPI_Comm communicator, const RootedCounter::Call& call, const Options& options) {
  if (has_refused_ || options.mode != Mode::kTune) return;
  int ranks = 0;
  PMPI_Comm_size(communicator, &ranks);
  if (!counter_.admits(call, ranks, options.minimum_calls)) return;
  has_refused_ = true;
  Channel::refuse(communicator);
}

void RootedRefusal::afterCall(int code) {
  if (isRefusal(code)) counter_.forgetLatest();
}

}  // namespace starling
