#include "outlook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records.h"

namespace starling::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

KeyRecord keyWith(const std::string& outlook, const std::string& choice = "slt:segments=64") {
  KeyRecord key;
  key.choice = choice;
  key.imbalance = 4e-3;
  key.outlook = outlook;
  key.state = "settled";
  return key;
}

// Rank 1 is on time, rank 3 is predicted to be late.
std::vector<RankArrival> arrivals() {
  RankArrival early;
  early.rank = 1;
  early.method = "regression";
  early.error = Seconds{1e-6};
  RankArrival late;
  late.rank = 3;
  late.predicted = {5.1e-3};
  late.method = "moving_average";
  late.error = Seconds{0.2e-3};
  return {early, late};
}

TEST(Outlook, saysThatThePlanFollowsWhoIsPredictedLate) {
  EXPECT_THAT(describeOutlook(keyWith("predicted"), arrivals()),
              ElementsAre("Rank 3 is predicted late by 5.10 ms (moving average, off by 200 us on average): the plan "
                          "follows it."));
  EXPECT_THAT(describeOutlook(keyWith("predicted", "native"), arrivals()),
              ElementsAre("Rank 3 is predicted late by 5.10 ms (moving average, off by 200 us on average): plans that "
                          "follow it are candidates, but native is in force, which does not."));
}

TEST(Outlook, saysThatFlagsAreCandidatesWhereNobodyKnowsWhoIsLate) {
  std::vector<RankArrival> ranks = arrivals();
  for (RankArrival& rank : ranks) rank.error = Seconds{3e-3};
  EXPECT_THAT(describeOutlook(keyWith("unpredictable"), ranks),
              ElementsAre("The latest rank is late by 4.00 ms on average, but who is late in a call, and by how much, "
                          "cannot be forecast well enough (the latest forecasts of a rank are off by up to 3.00 ms on "
                          "average): algorithms with flags in the call are candidates."));
}

// As where STARLING_MODE is observe.
TEST(Outlook, saysThatFlagsWouldBeCandidatesWhereNoneIsTried) {
  KeyRecord key = keyWith("unpredictable");
  key.state = "observing";
  EXPECT_THAT(describeOutlook(key, arrivals()),
              ElementsAre(testing::HasSubstr("algorithms with flags in the call would be candidates.")));
}

TEST(Outlook, doesNotSayThatForecastsAreBadByOnesThatAreGood) {
  EXPECT_THAT(describeOutlook(keyWith("unpredictable"), arrivals()),
              ElementsAre(testing::HasSubstr("cannot be forecast well enough: algorithms with flags")));
}

TEST(Outlook, saysThatThereIsNothingToFollowWhereAllAreOnTime) {
  EXPECT_THAT(describeOutlook(keyWith("on_time"), arrivals()),
              ElementsAre("No rank is late by more than noise as a rule: there is nothing for a plan to follow, and "
                          "algorithms with flags in the call are no candidates."));
}

TEST(Outlook, saysWhichCallsOfASequenceItIsAbout) {
  KeyRecord key = keyWith("");
  key.cycle = "every 50th call";
  EXPECT_THAT(describeOutlook(key, arrivals()),
              ElementsAre("Calls repeat (periodic): what is told here is of every 50th call; the others have a plan of "
                          "their own."));
}

TEST(Outlook, saysNothingThatIsNotRecorded) {
  EXPECT_THAT(describeOutlook(keyWith(""), arrivals()), IsEmpty());
  EXPECT_THAT(describeOutlook(keyWith("predicted"), {}), IsEmpty());
  std::vector<RankArrival> ranks = arrivals();
  for (RankArrival& rank : ranks) rank.error.reset();
  EXPECT_THAT(describeOutlook(keyWith("predicted"), ranks),
              ElementsAre("Rank 3 is predicted late by 5.10 ms (moving average): the plan follows it."));
}

}  // namespace
}  // namespace starling::cli
