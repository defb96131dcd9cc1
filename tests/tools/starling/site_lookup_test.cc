#include "site_lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records.h"

namespace starling::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<RecordedKey> exampleKeys() {
  SiteRecord signature;
  signature.identity = "signature";
  return {recordedKey(1, labelledSite("dot")),
          recordedKey(2, symbolSite("Solver::dot()", 1)),
          recordedKey(3, symbolSite("Solver::norm()", 2)),
          recordedKey(3, symbolSite("Solver::norm()", 2)),
          recordedKey(4, symbolSite("", 3), {"Grid::halo()", "/src/grid.cc", 7}),
          recordedKey(5, signature)};
}

TEST(SiteLookup, takesANumber) {
  EXPECT_EQ(findSite(exampleKeys(), "3").value(), 3);
  EXPECT_THAT(findSite(exampleKeys(), "9").status().message(), HasSubstr("no site 9 "));
  EXPECT_THAT(findSite(exampleKeys(), "7").status().message(), HasSubstr("--run all"))
      << "grid.cc:7 has a 7, and is site 4";
}

TEST(SiteLookup, prefersALabelToAPartOfASymbol) { EXPECT_EQ(findSite(exampleKeys(), "dot").value(), 1); }

TEST(SiteLookup, takesAPartOfASymbol) {
  EXPECT_EQ(findSite(exampleKeys(), "norm").value(), 3);
  EXPECT_EQ(findSite(exampleKeys(), "halo").value(), 4);
}

TEST(SiteLookup, prefersAWholeSymbolToAPartOfAnother) {
  const std::vector<RecordedKey> keys = {recordedKey(1, symbolSite("Solver::dot(int)", 1)),
                                         recordedKey(2, symbolSite("Solver::dot_all()", 2))};
  EXPECT_EQ(findSite(keys, "Solver::dot").value(), 1);
  EXPECT_EQ(findSite(keys, "Solver::dot(int)").value(), 1);
  EXPECT_EQ(findSite(keys, "dot_").value(), 2);
  EXPECT_FALSE(findSite(keys, "dot").isOk());
}

TEST(SiteLookup, takesTheNameThatIsShownAndPartsOfLabels) {
  EXPECT_EQ(findSite(exampleKeys(), "Grid::halo (grid.cc:7)").value(), 4);
  EXPECT_EQ(findSite(exampleKeys(), "grid.cc").value(), 4);
  const std::vector<RecordedKey> labelled = {recordedKey(7, labelledSite("pressure solve"))};
  EXPECT_EQ(findSite(labelled, "pressure").value(), 7);
}

TEST(SiteLookup, namesTheNearest) {
  EXPECT_THAT(findSite(exampleKeys(), "Solver::nrom").status().message(), HasSubstr("did you mean `Solver::norm`?"));
}

TEST(SiteLookup, takesAnIdentity) { EXPECT_EQ(findSite(exampleKeys(), "signature").value(), 5); }

TEST(SiteLookup, listsTheMatchesWhenAmbiguous) {
  EXPECT_THAT(findSite(exampleKeys(), "Solver").status().message(),
              AllOf(HasSubstr("matches 2 sites"), HasSubstr("2 Solver::dot"), HasSubstr("3 Solver::norm")));
}

TEST(SiteLookup, findsNothingWhereThereIsNothing) {
  EXPECT_FALSE(findSite({}, "1").isOk());
  EXPECT_FALSE(findSite(exampleKeys(), "").isOk());
  EXPECT_THAT(findSite(exampleKeys(), "velocity").status().message(), HasSubstr("starling sites"));
}

}  // namespace
}  // namespace starling::cli
