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

TEST_F(ScheduleCacheTest, makesRoomForTheBytesOfTheNextOne) {
  constexpr std::int64_t kBytes = 10 * sizeof(Step);
  ScheduleCache<Key> schedules(256, std::pmr::get_default_resource(), 3 * kBytes + kBytes / 2);
  const auto wasKept = [&](std::int64_t number) {
    bool is_kept = true;
    const auto build = [&](std::pmr::memory_resource*) {
      is_kept = false;
      Schedule schedule;
      schedule.steps.reserve(10);
      return schedule;
    };
    EXPECT_GE(schedules.find(Key(number), build, kBytes).bytes(), kBytes);
    return is_kept;
  };
  for (const std::int64_t number : {1, 2, 3}) EXPECT_FALSE(wasKept(number));
  for (const std::int64_t number : {1, 2, 3}) EXPECT_TRUE(wasKept(number));
  EXPECT_FALSE(wasKept(4));  // drops 1
  EXPECT_TRUE(wasKept(3));
  EXPECT_FALSE(wasKept(1));
}

TEST_F(ScheduleCacheTest, keepsOneThatIsTooLarge) {
  ScheduleCache<Key> schedules(256, std::pmr::get_default_resource(), 1);
  int built = 0;
  const auto build = [&](std::pmr::memory_resource*) {
    ++built;
    return Schedule();
  };
  for (int use = 0; use < 3; ++use) schedules.find(Key(1), build, 100);
  EXPECT_EQ(built, 1);
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
