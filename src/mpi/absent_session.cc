#include "mpi/absent_session.h"

#include "mpi/exchange/any_rank.h"
#include "mpi/session.h"

namespace starling {
namespace {

void setMark(MPI_Comm communicator, int session_key, bool is_asked, std::uintptr_t calls) {
  PMPI_Comm_set_attr(communicator, session_key, reinterpret_cast<void*>(4 * calls + (is_asked ? 2 : 0) + 1));
}

}  // namespace

void AbsentSession::begin(MPI_Comm communicator, int session_key, bool is_asked) {
  setMark(communicator, session_key, is_asked, 0);
}

AbsentSession::AbsentSession(MPI_Comm communicator, int session_key, const void* value, const Options& options)
    : communicator_(communicator),
      session_key_(session_key),
      is_asked_((reinterpret_cast<std::uintptr_t>(value) & 2U) != 0),
      calls_(reinterpret_cast<std::uintptr_t>(value) / 4),
      options_(options) {}

// The mark is set at once: a call that MPI refuses is made again, and the others have heard of this by then.
void AbsentSession::beforeCall(bool is_tunable) const {
  if (!is_tunable || calls_ > 0 || Session::callsBeforePreparation(options_) > 0) return;
  Session::refusePreparation(communicator_);
  setMark(communicator_, session_key_, is_asked_, 1);
}

void AbsentSession::afterCall(int code) const {
  const auto prepared_after = static_cast<std::uintptr_t>(Session::callsBeforePreparation(options_));
  if (calls_ >= prepared_after || isRefusal(code)) return;
  if (calls_ + 1 == prepared_after) {
    if (is_asked_) static_cast<void>(isTrueOnAny(communicator_, true));
    Session::refusePreparation(communicator_);
  }
  setMark(communicator_, session_key_, is_asked_, calls_ + 1);
}

}  // namespace starling
