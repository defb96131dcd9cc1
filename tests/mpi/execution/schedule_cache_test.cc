#include "mpi/execution/schedule_cache.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

struct Key {
  explicit Key(std::int64_t sought) : number(sought) {}
  Key(const Key& other, std::pmr::memory_resource*) : Key(other) {}
  Key(const Key&) = default;

  std::int64_t number;

  bool operator==(const Key&) const = default;
  std::size_t hash() const { return hashOf({number % 2}); }  // most are equal
};

class ScheduleCacheTest : public testing::Test {
 protected:
  void expectFound(std::int64_t number) {
    const PreparedSchedule& found = schedules_.find(Key(number), [&](std::pmr::memory_resource*) {
      ++built_;
      Schedule schedule;
      schedule.count = number;
      return schedule;
    });
    EXPECT_EQ(found.schedule().count, number);
  }

  ScheduleCache<Key> schedules_{256};
  int built_ = 0;
};

TEST_F(ScheduleCacheTest, keepsSoManyThatAreUsed) {
  for (int round = 0; round < 3; ++round) {
    for (int number = 0; number < 256; ++number) expectFound(number);
  }
  EXPECT_EQ(built_, 256);
}

TEST_F(ScheduleCacheTest, dropsWhatWasUsedLeastRecently) {
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
