#include "mpi/machine/call_sites.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace starling {
namespace {

TEST(CallSites, ofLongLabelsTheirBeginningIsKeptAndANumber) {
  CallSites sites(true);
  std::set<std::string> identities;
  for (const char* const end : {"", "a", "b"}) {
    const std::string label = std::string(1 << 20, 'x') + end;
    const CallOrigin origin{.label = label.c_str()};
    const std::string named = sites.describe(kAnySite, sites.localSite(origin)).identity;
    EXPECT_TRUE(named.starts_with("label:xxx")) << named;
    EXPECT_LT(named.size(), 1100U);
    identities.insert(named);
    identities.insert(sites.describe(sites.create(label.c_str()), 0).identity);
  }
  EXPECT_EQ(identities.size(), 3U);
  const CallOrigin origin{.label = "pressure"};
  EXPECT_EQ(sites.describe(kAnySite, sites.localSite(origin)).identity, "label:pressure");
}

}  // namespace
}  // namespace starling
