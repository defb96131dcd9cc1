// Tells beforehand how much memory a call with an algorithm takes.
#pragma once

#include <cstdint>

#include "algos/catalogue.h"

namespace starling {

// The tuner plans no schedule that takes more: of the 8 MB that a rank is to have for all at 10,240 ranks, this is what
// the rest leaves.
inline constexpr std::int64_t kMostScheduleBytes = 6'000'000;

// Returns an upper bound, equal on all ranks, of the bytes that any rank takes to build its schedule, to keep and
// prepare it and to run it, whoever is late: none of these fails when a Reserve has been grown to it. The scratch
// memory of scratchElements() is not included. It allocates where the row depends on the topology. REQUIRES: what
// buildSchedule() requires.
std::int64_t scheduleBytes(const Algorithm& algorithm, const Shape& shape, const ParameterValues& parameters);

// Returns the part of it that so many steps take on a rank, without what a builder and a topology take beside them.
std::int64_t bytesOfSteps(std::int64_t steps, std::int64_t side_slots = 0);

}  // namespace starling
