#include "place.h"

#include <gtest/gtest.h>

#include "records.h"

namespace starling::cli {
namespace {

TEST(Place, theBestKnownNameIsShown) {
  const SiteRecord site = symbolSite("exported_name", 0x1f);
  EXPECT_EQ(describeSite(labelledSite("pressure"), {"f()", "/src/f.cc", 3}), "pressure");
  EXPECT_EQ(describeSite(site, {"Solver::dot()", "/src/solver.cc", 42}), "Solver::dot (solver.cc:42)");
  EXPECT_EQ(describeSite(site, {}), "exported_name");
  EXPECT_EQ(describeSite(symbolSite("", 0x1f), {}), "app+0x1f");
  SiteRecord signature;
  signature.identity = "signature";
  EXPECT_EQ(describeSite(signature, {}), "signature");
}

}  // namespace
}  // namespace starling::cli
