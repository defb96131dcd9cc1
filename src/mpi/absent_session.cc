#include "mpi/absent_session.h"

#include "mpi/session.h"

namespace starling {
namespace {

void setMark(MPI_Comm communicator, int session_key, std::uintptr_t calls) {
  PMPI_Comm_set_attr(communicator, session_key, reinterpret_cast<void*>(2 * calls + 1));
}

}  // namespace

void AbsentSession::begin(MPI_Comm communicator, int session_key) { setMark(communicator, session_key, 0); }

AbsentSession::AbsentSession(MPI_Comm communicator, int session_key, const void* value, const Options& options)
    : communicator_(communicator),
      session_key_(session_key),
      calls_(reinterpret_cast<std::uintptr_t>(value) / 2),
      options_(options) {}

void AbsentSession::beforeCall() const {
  if (calls_ == 0 && Session::callsBeforePreparation(options_) == 0) Session::refusePreparation(communicator_);
}

void AbsentSession::afterCall() const {
  const auto prepared_after = static_cast<std::uintptr_t>(Session::callsBeforePreparation(options_));
  if (calls_ > prepared_after) return;
  if (prepared_after > 0 && calls_ + 1 == prepared_after) Session::refusePreparation(communicator_);
  setMark(communicator_, session_key_, calls_ + 1);
}

}  // namespace starling
