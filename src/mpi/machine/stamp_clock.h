// Turns the stamps of a communicator's ranks into times that compare.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "estimators/clock_model.h"
#include "mpi/machine/world_clock.h"

namespace starling {

// What a process knows of clocks when a communicator makes its first call.
struct ClockKnowledge {
  const Clock* clock = nullptr;
  std::uint64_t identity = 0;    // clockIdentity()
  bool is_one_in_world = false;  // all ranks of MPI_COMM_WORLD read one clock
  WorldClock* world = nullptr;   // open, if they do not; else null
  // All ranks of the communicator are of one MPI_COMM_WORLD and know the above, on all ranks alike. If not, they have
  // to be asked.
  bool is_agreed = false;
};

// THREADS: as WorldClock.
class StampClock {
 public:
  // Nothing is known of the clocks: stamps of different ranks do not compare.
  StampClock() = default;
  // All ranks read one clock.
  static StampClock shared() { return StampClock(Kind::kShared, nullptr); }
  // Stamps are turned into those of the world's clock, which outlives this object.
  static StampClock of(WorldClock& world) { return StampClock(Kind::kWorld, &world); }

  bool isKnown() const { return kind_ != Kind::kUnknown; }
  // Returns what turns this rank's stamps into those that compare; empty: nothing does.
  std::optional<ClockModel> model() const {
    if (!isKnown()) return std::nullopt;
    return kind_ == Kind::kWorld ? world_->model() : ClockModel{};
  }
  // As WorldClock::keepUp(), for the end of an epoch. Nothing where ranks read one clock.
  void keepUp() const {
    if (world_ != nullptr) world_->keepUp();
  }

 private:
  enum class Kind : std::uint8_t { kUnknown, kShared, kWorld };
  StampClock(Kind kind, WorldClock* world) : kind_(kind), world_(world) {}

  Kind kind_ = Kind::kUnknown;
  WorldClock* world_ = nullptr;
};

// Finds the clock of a communicator's stamps. Collective; what kind it is is equal on all ranks. Sends messages only
// where the ranks have to be asked.
StampClock agreeOnStamps(MPI_Comm communicator, const ClockKnowledge& knowledge);

}  // namespace starling
