// Keeps Starling's arithmetic and the program's apart.
#pragma once

#include <cfenv>

namespace starling {

// While it lives, this thread computes as C programs begin: nothing is trapped, results are rounded to the nearest, and
// numbers of any size count. Then what the program had set, and the exceptions that it has raised, are there again: a
// program that traps underflow must not die of Starling's estimates, nor one that rounds upwards change them.
class OwnFloatingPoint {
 public:
  OwnFloatingPoint() {
    std::fegetenv(&programs_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~OwnFloatingPoint() { std::fesetenv(&programs_); }
  OwnFloatingPoint(const OwnFloatingPoint&) = delete;
  OwnFloatingPoint& operator=(const OwnFloatingPoint&) = delete;

 private:
  std::fenv_t programs_{};
};

}  // namespace starling
