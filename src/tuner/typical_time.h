// What something takes as a rule.
#pragma once

#include "base/units.h"

namespace starling {

// Follows a time that is now and then much longer than usual, since a rank was interrupted: each value moves the
// estimate by half at most, up or down, so that it stays near the median.
// THREADS: one.
class TypicalTime {
 public:
  void note(Seconds time);
  // 0 until something else was noted.
  Seconds value() const { return value_; }

 private:
  Seconds value_;
};

}  // namespace starling
