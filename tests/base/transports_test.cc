#include "base/transports.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(SharesMemory, whereNothingElseIsAskedFor) {
  for (const char* btl : {"", "vader,self", "self,sm,tcp", "^tcp", "^openib,tcp"})
    EXPECT_TRUE(sharesMemory(btl)) << btl;
  for (const char* btl : {"tcp,self", "self", "^vader", "^tcp,sm", "vaders", ","})
    EXPECT_FALSE(sharesMemory(btl)) << btl;
}

TEST(ReadsMemory, unlessItIsTurnedOff) {
  for (const char* mechanism : {"", "cma", "xpmem"}) EXPECT_TRUE(readsMemory(mechanism)) << mechanism;
  for (const char* mechanism : {"none", "emulated"}) EXPECT_FALSE(readsMemory(mechanism)) << mechanism;
}

}  // namespace
}  // namespace starling
