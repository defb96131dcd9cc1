#include "store/hosts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace starling {
namespace {

TEST(Hosts, comeBackByRank) {
  const std::vector<std::vector<std::string>> jobs{
      {}, {"a"}, {"a", "a", "b"}, {"a", "b", "a", "b"}, {"node-1.cluster", "node-1.cluster", "node-10.cluster"}};
  for (const std::vector<std::string>& hosts : jobs) {
    const std::string folded = foldHosts(hosts);
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
      EXPECT_EQ(hostOf(folded, static_cast<std::int64_t>(rank)), hosts[rank]) << folded;
    }
    EXPECT_EQ(hostOf(folded, static_cast<std::int64_t>(hosts.size())), "");
    EXPECT_EQ(hostOf(folded, -1), "");
  }
}

TEST(Hosts, areNamedOnceForRanksInARow) { EXPECT_EQ(foldHosts(std::vector<std::string>(10'000, "a")), "a:10000"); }

TEST(Hosts, areNotKnownWhereTheTextIsDamaged) {
  for (const char* damaged : {"a", "a:", "a:x,b:2", ":", ",", "a:-3,b:1", "a:99999999999999999999"}) {
    EXPECT_EQ(hostOf(damaged, 5), "") << damaged;
  }
}

}  // namespace
}  // namespace starling
