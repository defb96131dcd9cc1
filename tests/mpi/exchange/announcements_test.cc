#include "mpi/exchange/announcements.h"

#include <gtest/gtest.h>

#include <set>

#include "harness.h"

namespace starling {
namespace {

constexpr int kFirstTag = 7;
constexpr int kTokenTag = 1;

// Some ranks are late, others each time.
std::int64_t announcedBy(int rank, int round) { return 1'000'000 * ((7 * rank + round) % worldSize()); }

LatestAnnouncements allOf(int round) {
  LatestAnnouncements all;
  for (int rank = 0; rank < worldSize(); ++rank) all.add({rank, announcedBy(rank, round)});
  all.dropOnTime();
  return all;
}

class AnnouncementsOfAll : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(announcements_.finish(), MPI_SUCCESS); }

  void start(int round) { EXPECT_EQ(announcements_.start(announcedBy(worldRank(), round)), MPI_SUCCESS); }
  void take(int round) {
    EXPECT_EQ(announcements_.take(), MPI_SUCCESS);
    EXPECT_FALSE(announcements_.arePending());
    EXPECT_EQ(announcements_.latest(), allOf(round));
  }
  // These ranks come when all others know what was announced.
  void takeWithLate(const std::set<int>& late, int round) {
    const bool is_late = late.contains(worldRank());
    int token = 0;
    for (int rank = 0; is_late && rank < worldSize(); ++rank) {
      if (late.contains(rank)) continue;
      MPI_Recv(&token, 1, MPI_INT, rank, kTokenTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    take(round);
    if (is_late) return;
    for (const int rank : late) MPI_Send(&token, 1, MPI_INT, rank, kTokenTag, MPI_COMM_WORLD);
  }

  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  Watch watch_{"Announcements"};
  Announcements announcements_{duplicate_.get(), worldRank(), worldSize(), kFirstTag};
};

TEST_F(AnnouncementsOfAll, areTheLatestUpToTheEighth) {
  int round = 0;
  for (const int rounds : {1, 2, 8, 3, 1}) {
    for (int i = 0; i < rounds; ++i) start(++round);
    take(round);
  }
  for (int i = 0; i < 12; ++i) start(i);
  take(7);
}

TEST_F(AnnouncementsOfAll, reachTheOthersWhileOneRankComputes) {
  for (int late = 0; late < worldSize(); ++late) {
    start(late);
    takeWithLate({late}, late);
  }
}

TEST_F(AnnouncementsOfAll, reachTheOthersWhileThreeRanksCompute) {
  for (int first = 0; first < worldSize(); ++first) {
    std::set<int> late;
    for (int i = 0; i < 3; ++i) late.insert((first + i * worldSize() / kAnnouncementTrees) % worldSize());
    start(first);
    takeWithLate(late, first);
  }
}

// A rank may be one call ahead of another: a call need not synchronise, as those with no elements need not.
TEST_F(AnnouncementsOfAll, followEachOtherWithoutACallBetween) {
  for (int round = 0; round < 50; ++round) {
    start(round);
    if (round % 3 != 0) start(round);
    take(round);
  }
}

TEST_F(AnnouncementsOfAll, mayBeDropped) {
  for (int round = 0; round < 20; ++round) {
    start(round);
    if (round % 2 == 0) {
      EXPECT_EQ(announcements_.finish(), MPI_SUCCESS);
      EXPECT_FALSE(announcements_.arePending());
      EXPECT_TRUE(announcements_.areComplete());
    } else {
      take(round);
    }
  }
}

TEST_F(AnnouncementsOfAll, areCompleteInTimeWithoutWaiting) {
  start(1);
  take(1);
  start(2);
  while (!announcements_.areComplete()) continue;
}

TEST_F(AnnouncementsOfAll, leaveNothingUnderWayWhenTheyAreAbandoned) {
  {
    Announcements given_up(duplicate_.get(), worldRank(), worldSize(), kFirstTag + 2);
    EXPECT_EQ(given_up.start(1), MPI_SUCCESS);
    EXPECT_EQ(given_up.take(), MPI_SUCCESS);
    for (int i = 0; i < worldRank() % 3; ++i) EXPECT_EQ(given_up.start(2), MPI_SUCCESS);
    given_up.abandon();
    EXPECT_FALSE(given_up.arePending());
    EXPECT_TRUE(given_up.areComplete());
  }
  start(3);
  take(3);
}

}  // namespace
}  // namespace starling
