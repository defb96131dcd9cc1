// Waiting without keeping the processor busy: emulated computation.
#pragma once

#include "base/clock.h"
#include "base/units.h"

namespace starling::bench {

void pauseFor(Seconds duration);

// Until `clock` shows `time`, as nearly as the system wakes a process.
void pauseUntil(const Clock& clock, Seconds time);

}  // namespace starling::bench
