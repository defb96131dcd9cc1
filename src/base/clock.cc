#include "base/clock.h"

#include <ctime>

namespace starling {

Seconds MonotonicClock::now() const {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return {static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec) + offset_.value};
}

}  // namespace starling
