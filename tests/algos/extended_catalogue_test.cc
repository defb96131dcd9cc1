// One file and one line in the list of rows are all that an algorithm needs. Here these are star.cc and a copy of the
// list with a line for it, both outside src/.
#include <gtest/gtest.h>

#include "schedule/verifier.h"
#include "schedules.h"

namespace starling {
namespace {

TEST(ExtendedCatalogue, listsTheNewRowLast) {
  ASSERT_FALSE(catalogue().empty());
  EXPECT_STREQ(catalogue().back().name, "star");
  EXPECT_GT(catalogue().size(), 14U);
  EXPECT_EQ(findAlgorithm("star"), &catalogue().back());
}

TEST(ExtendedCatalogue, choicesOfTheNewRowAreReadVerifiedAndSimulated) {
  const Choice choice = parseChoice("star:pacing=2").value();
  EXPECT_EQ(formatChoice(choice), "star:pacing=2");
  for (const std::int32_t ranks : {1, 2, 5}) {
    const std::vector<Schedule> schedules = schedulesOf("star:pacing=2", ranks, 7);
    const Status status = verify(schedules, {.keeps_rank_order = true});
    EXPECT_TRUE(status.isOk()) << status.message();
    EXPECT_TRUE(simulate(schedules, {8}, {}, std::vector<Seconds>(ranks)).isOk());
  }
}

TEST(ExtendedCatalogue, unknownNamesAreToldOfTheNewRow) {
  EXPECT_NE(parseChoice("stra").status().message().find("star"), std::string::npos);
}

}  // namespace
}  // namespace starling
