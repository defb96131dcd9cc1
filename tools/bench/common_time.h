// The time that all ranks of a run have in common, whichever machine they are on.
#pragma once

#include <mpi.h>

#include "base/clock.h"
#include "mpi/machine/world_clock.h"

namespace starling::bench {

// THREADS: one.
class CommonTime {
 public:
  // Finds out whether the ranks of MPI_COMM_WORLD read one clock. Collective.
  CommonTime(const Clock& clock, const ClockFault& fault);
  // Collective, before MPI_Finalize.
  ~CommonTime();
  CommonTime(const CommonTime&) = delete;
  CommonTime& operator=(const CommonTime&) = delete;

  bool isOneClock() const { return !world_clock_.isOpen(); }
  // Measures the clocks anew, if there are several. Collective.
  void synchronise();

  // These turn this rank's time into the common one, and back.
  Seconds of(std::int64_t local_ns) const { return fromNanoseconds(model_.toOther(local_ns)); }
  Seconds now() const { return of(clock_.nanoseconds()); }
  Seconds toLocal(Seconds common) const { return clock_.now() + (common - now()); }

 private:
  const Clock& clock_;
  MPI_Comm world_ = MPI_COMM_NULL;
  WorldClock world_clock_{clock_};
  ClockModel model_;
};

}  // namespace starling::bench
