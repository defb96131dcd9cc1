// Emulates computation by waiting, which does not keep the processor busy.
#pragma once

#include "base/clock.h"
#include "base/units.h"

namespace starling::bench {

void pauseFor(Seconds duration);

// Waits until `clock` shows `time`, as nearly as the system wakes a process.
void pauseUntil(const Clock& clock, Seconds time);

}  // namespace starling::bench
