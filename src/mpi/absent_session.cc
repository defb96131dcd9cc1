#include "mpi/absent_session.h"

#include "mpi/execution/call_kind.h"
#include "mpi/session.h"

namespace starling {

void AbsentSession::beforeCall(MPI_Comm communicator, bool is_tunable, const Options& options) {
  if (is_tunable && Session::callsBeforePreparation(options) == 0) refuse(communicator);
}

void AbsentSession::afterCall(MPI_Comm communicator, int code) {
  if (isRefusal(code)) return;
  // With a fixed algorithm, too, where no call before was one that it could make.
  if (++calls_ >= first_epoch_) refuse(communicator);
}

// The others prepare once. A call that MPI refuses is made again, and they have heard of this by then.
void AbsentSession::refuse(MPI_Comm communicator) {
  if (has_refused_) return;
  has_refused_ = true;
  Channel::refuse(communicator);
}

}  // namespace starling
