#include "pause.h"

#include <cerrno>
#include <cmath>
#include <ctime>

namespace starling::bench {
namespace {

// A clock cannot tell less than this, and what is left of a rounded duration is not worth another sleep.
constexpr Seconds kResolution{1e-9};

}  // namespace

void pauseFor(Seconds duration) {
  if (duration < kResolution) return;
  timespec left{};
  left.tv_sec = static_cast<time_t>(duration.value);
  left.tv_nsec = static_cast<long>((duration.value - std::floor(duration.value)) * 1e9);
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

void pauseUntil(const Clock& clock, Seconds time) {
  for (Seconds left = time - clock.now(); left > kResolution; left = time - clock.now()) pauseFor(left);
}

}  // namespace starling::bench
