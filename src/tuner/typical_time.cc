#include "tuner/typical_time.h"

#include <algorithm>

namespace starling {
namespace {

constexpr double kStep = 1.5;

}  // namespace

void TypicalTime::note(Seconds time) {
  if (value_.value == 0.0) {
    value_ = time;
  } else {
    value_ = time > value_ ? std::min(time, kStep * value_) : std::max(time, (1.0 / kStep) * value_);
  }
}

}  // namespace starling
