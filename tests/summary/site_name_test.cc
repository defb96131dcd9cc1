#include "summary/site_name.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(SiteName, shortSymbolsLeaveTheArgumentsOut) {
  EXPECT_EQ(shortSymbol("main"), "main");
  EXPECT_EQ(shortSymbol("Solver::dot(double const*, int) const"), "Solver::dot");
  EXPECT_EQ(shortSymbol("(anonymous namespace)::step(Grid&)"), "(anonymous namespace)::step");
  EXPECT_EQ(shortSymbol("(anonymous namespace)::step"), "(anonymous namespace)::step");
  EXPECT_EQ(shortSymbol("run(int)::{lambda(int)#1}::operator()(int) const"), "run(int)::{lambda(int)#1}::operator()");
  EXPECT_EQ(shortSymbol("apply(void (*)(int))"), "apply");
}

}  // namespace
}  // namespace starling
