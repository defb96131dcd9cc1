#include "tuner/typical_time.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(TypicalTime, followsTheMedianAndNoInterruption) {
  TypicalTime time;
  for (int i = 0; i < 100; ++i) time.note({i % 10 == 5 ? 4e-3 : 1e-6});
  EXPECT_NEAR(time.value().value, 1e-6, 0.25e-6);
  for (int i = 0; i < 100; ++i) time.note({1e-5});
  EXPECT_NEAR(time.value().value, 1e-5, 1e-9) << "what has changed is found";
}

}  // namespace
}  // namespace starling
