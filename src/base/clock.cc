#include "base/clock.h"

#include <ctime>

namespace starling {

std::int64_t MonotonicClock::nanoseconds() const {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return fault_.apply(std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec);
}

}  // namespace starling
