#include "mpi/former_builds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace starling {
namespace {

const LoadedBuilds kLoaded{.modules = {"solver", "libfield.so"}, .builds = {"solver[new]", "libfield.so[1]"}};

PolicyRecord policyOf(const std::string& site, const std::string& choice, std::int32_t size_class = 10) {
  PolicyRecord policy;
  policy.site = site;
  policy.communicator_size = 4;
  policy.size_class = size_class;
  policy.type = "double";
  policy.operation = "sum";
  policy.choice = choice;
  return policy;
}

std::vector<std::string> sitesOf(const std::vector<PolicyRecord>& policies) {
  std::vector<std::string> sites;
  for (const PolicyRecord& policy : policies) sites.push_back(policy.site);
  return sites;
}

TEST(FormerBuilds, giveWayToPoliciesOfTheSameCalls) {
  const std::vector<PolicyRecord> left = withoutFormerBuilds(
      {policyOf("solver[old]+0x10", "ring"), policyOf("solver[new]+0x20", "node"), policyOf("solver[old]+0x30", "slt")},
      kLoaded);
  EXPECT_THAT(sitesOf(left), testing::ElementsAre("solver[new]+0x20"));
}

TEST(FormerBuilds, tellOfAnySiteWhereNothingElseIsKnownTheLatestAlone) {
  const std::vector<PolicyRecord> left =
      withoutFormerBuilds({policyOf("solver[old]+0x10", "ring"), policyOf("solver[older]+0x10", "node"),
                           policyOf("solver[old]+0x40", "ring"), policyOf("solver[new]+0x10", "slt", 11)},
                          kLoaded);
  EXPECT_THAT(left, testing::ElementsAre(policyOf("solver[new]+0x10", "slt", 11), policyOf("any", "ring")));
}

TEST(FormerBuilds, tellNothingWhereTheirSitesDisagree) {
  std::vector<PolicyRecord> policies = {policyOf("solver[old]+0x10", "ring"), policyOf("solver[old]+0x40", "slt"),
                                        policyOf("solver[older]+0x10", "ring"), policyOf("solver[old]+0x80", "ring")};
  EXPECT_THAT(withoutFormerBuilds(policies, kLoaded), testing::IsEmpty());
  policies[1] = policies[0];
  policies[1].site = "solver[old]+0x40";
  policies[1].table = {3, 2, 1, 0};
  EXPECT_THAT(withoutFormerBuilds(policies, kLoaded), testing::IsEmpty());
}

TEST(FormerBuilds, areNoneOfWhatIsNotLoadedOrHasNoBuild) {
  const std::vector<std::string> sites = {"label:all[old]", "signature",           "plugin.so[old]+0x10",
                                          "address:0x10",   "libfield.so[1]+0x10", "any"};
  std::vector<PolicyRecord> policies;
  for (const std::string& site : sites) policies.push_back(policyOf(site, "ring"));
  EXPECT_EQ(sitesOf(withoutFormerBuilds(policies, kLoaded)), sites);
}

TEST(FormerBuilds, knowThisProcess) {
  const SiteRecord site = siteOfAddress(reinterpret_cast<std::uint64_t>(&sitesOf) + 1);
  const LoadedBuilds loaded = loadedBuilds();
  const std::string build = buildOfSite(site.identity);
  EXPECT_THAT(loaded.builds, testing::Contains(build));
  EXPECT_FALSE(loaded.haveAnotherOf(build));
  const std::string name = build.substr(0, build.find('['));
  EXPECT_THAT(loaded.modules, testing::Contains(name));
  EXPECT_TRUE(loaded.haveAnotherOf(name + "[0000000000000000]"));
  EXPECT_FALSE(loaded.haveAnotherOf("nowhere.so[0000000000000000]"));
}

}  // namespace
}  // namespace starling
