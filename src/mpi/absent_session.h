// A communicator whose session this rank could not make, for want of memory.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/options.h"

namespace starling {

// The other ranks count on this one where they prepare tuning, after as many calls on all ranks: there it tells them
// that all calls are to pass through. Where they ask each other beforehand whether to prepare, it says yes. It takes no
// memory: how many calls there have been is kept in the attribute that has the session elsewhere. THREADS: as the
// communicator's collective operations.
class AbsentSession {
 public:
  // Whether an attribute's value is this and not a Session.
  static bool isMark(const void* value) { return (reinterpret_cast<std::uintptr_t>(value) & 1U) != 0; }
  // Sets the attribute `session_key`: no call was made on the communicator yet. `is_asked` says whether ranks ask each
  // other before they prepare.
  static void begin(MPI_Comm communicator, int session_key, bool is_asked);

  // As the attribute's value has it. `options` outlive it, and are those that all ranks have agreed on.
  AbsentSession(MPI_Comm communicator, int session_key, const void* value, const Options& options);

  // Around each call, which the MPI library makes. Wait for the other ranks where these prepare tuning. With a fixed
  // algorithm that is before the first call that an algorithm of ours could make.
  void beforeCall(bool is_tunable) const;
  // `code` is what the call returned.
  void afterCall(int code) const;

 private:
  MPI_Comm communicator_;
  int session_key_;
  bool is_asked_;
  std::uintptr_t calls_;  // that were made, up to where the others prepare
  const Options& options_;
};

}  // namespace starling
