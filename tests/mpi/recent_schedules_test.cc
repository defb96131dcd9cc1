#include "mpi/recent_schedules.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

struct Key {
  std::int64_t number;

  bool operator==(const Key&) const = default;
  std::size_t hash() const { return hashOf({number % 2}); }  // most are equal
};

class RecentSchedulesTest : public testing::Test {
 protected:
  void expectFound(std::int64_t number) {
    const PreparedSchedule& found = schedules_.find({number}, [&] {
      ++built_;
      Schedule schedule;
      schedule.count = number;
      return schedule;
    });
    EXPECT_EQ(found.schedule().count, number);
  }

  RecentSchedules<Key> schedules_;
  int built_ = 0;
};

TEST_F(RecentSchedulesTest, keepsTwoForEachRootThatIsKept) {
  for (int round = 0; round < 3; ++round) {
    for (int number = 0; number < 256; ++number) expectFound(number);
  }
  EXPECT_EQ(built_, 256);
}

TEST_F(RecentSchedulesTest, dropsWhatWasUsedLeastRecently) {
  for (int number = 0; number < 256; ++number) expectFound(number);
  expectFound(0);
  expectFound(256);  // drops 1
  EXPECT_EQ(built_, 257);
  expectFound(0);
  expectFound(2);
  EXPECT_EQ(built_, 257);
  expectFound(1);
  EXPECT_EQ(built_, 258);
}

}  // namespace
}  // namespace starling
