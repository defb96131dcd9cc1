#include "base/own_floating_point.h"

#include <gtest/gtest.h>

#include <cmath>

namespace starling {
namespace {

// As a program that is compiled by gfortran -ffpe-trap=underflow. What computes is not to be done by the compiler.
TEST(OwnFloatingPoint, trapsNothingAndLeavesTheProgramsStateAsItWas) {
  volatile double tiny = 1e-300;
  volatile double third = 3.0;
  const int traps = fegetexcept();
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_DIVBYZERO);
  std::fesetround(FE_UPWARD);
  const double upwards = 1.0 / third;
  feenableexcept(FE_UNDERFLOW | FE_INEXACT);
  {
    const OwnFloatingPoint own;
    EXPECT_EQ(tiny * tiny, 0.0);
    EXPECT_LT(1.0 / third, upwards);
    EXPECT_EQ(fegetexcept(), 0);
  }
  const int restored = fegetexcept();
  fedisableexcept(FE_ALL_EXCEPT);
  feenableexcept(traps);
  EXPECT_EQ(restored, FE_UNDERFLOW | FE_INEXACT);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_TRUE(std::fetestexcept(FE_DIVBYZERO));
  EXPECT_FALSE(std::fetestexcept(FE_UNDERFLOW));
  std::fesetround(FE_TONEAREST);
}

}  // namespace
}  // namespace starling
