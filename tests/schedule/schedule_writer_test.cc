#include "schedule/schedule_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "schedule/hazards.h"

namespace starling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr OperandOrder kOrder = OperandOrder::kIncomingLeft;

ScheduleWriter writerFor(std::int64_t count) { return ScheduleWriter({2, 0, count}, 1000); }

TEST(ScheduleWriter, readWaitsForTheLastWriteOfItsElements) {
  ScheduleWriter writer = writerFor(10);
  writer.receive({0, 5}, 1, 0);
  writer.receive({5, 5}, 1, 1);
  writer.send({4, 2}, 1, 2);
  writer.send({0, 4}, 1, 3);
  const Schedule schedule = std::move(writer).finish();
  EXPECT_THAT(schedule.dependenciesOf(schedule.steps[2]), ElementsAre(0, 1));
  EXPECT_THAT(schedule.dependenciesOf(schedule.steps[3]), ElementsAre(0));
}

TEST(ScheduleWriter, writeWaitsForReadsOfItsElements) {
  ScheduleWriter writer = writerFor(10);
  writer.send({0, 5}, 1, 0);
  writer.send({2, 6}, 1, 1);
  writer.reduce({0, 2}, 1, kOrder, 2);
  writer.receive({4, 2}, 1, 3);
  const Schedule schedule = std::move(writer).finish();
  EXPECT_THAT(schedule.dependenciesOf(schedule.steps[2]), ElementsAre(0));
  EXPECT_THAT(schedule.dependenciesOf(schedule.steps[3]), ElementsAre(0, 1));
}

TEST(ScheduleWriter, writeWaitsForAnEarlierWriteThatNobodyRead) {
  ScheduleWriter writer = writerFor(10);
  writer.reduce({0, 10}, 1, kOrder, 0);
  writer.reduce({0, 10}, 1, kOrder, 1);
  const Schedule schedule = std::move(writer).finish();
  EXPECT_THAT(schedule.dependenciesOf(schedule.steps[1]), ElementsAre(0));
}

TEST(ScheduleWriter, combiningWaitsForBothSlotsAndOtherSlotsDoNot) {
  ScheduleWriter writer = writerFor(10);
  writer.addSideSlots(2, {0, 10});
  writer.receive({0, 10}, 1, 0, 0, 1);
  writer.receive({0, 10}, 1, 1, 0, 2);
  writer.combine({0, 5}, 1, 0, kOrder);
  writer.combine({0, 5}, 2, 0, kOrder);
  writer.combine({5, 5}, 2, 0, kOrder);
  writer.receive({0, 5}, 1, 2, 0, 1);
  const Schedule schedule = std::move(writer).finish();
  EXPECT_THAT(schedule.dependenciesOf(schedule.steps[1]), IsEmpty());
  EXPECT_THAT(schedule.dependenciesOf(schedule.steps[2]), ElementsAre(0));
  EXPECT_THAT(schedule.dependenciesOf(schedule.steps[3]), ElementsAre(1, 2));
  EXPECT_THAT(schedule.dependenciesOf(schedule.steps[4]), ElementsAre(1));
  EXPECT_THAT(schedule.dependenciesOf(schedule.steps[5]), ElementsAre(2));
}

TEST(ScheduleWriter, readsAndDisjointStepsDoNotWait) {
  ScheduleWriter writer = writerFor(10);
  writer.send({0, 10}, 1, 0);
  writer.send({0, 10}, 1, 1);
  ScheduleWriter other = writerFor(10);
  other.receive({0, 5}, 1, 0);
  other.receive({5, 5}, 1, 1);
  EXPECT_THAT(std::move(writer).finish().dependencies, IsEmpty());
  EXPECT_THAT(std::move(other).finish().dependencies, IsEmpty());
}

TEST(ScheduleWriter, dropsBlocksOfZeroElements) {
  ScheduleWriter writer = writerFor(10);
  writer.send({3, 0}, 1, 0);
  writer.receive({10, 0}, 1, 1);
  writer.reduce({0, 0}, 1, kOrder, 2);
  EXPECT_THAT(std::move(writer).finish().steps, IsEmpty());
}

TEST(ScheduleWriter, randomStepsHaveNoHazards) {
  constexpr unsigned kSeed = 17;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 200; ++round) {
    ScheduleWriter writer = writerFor(20);
    for (std::int32_t tag = 0; tag < 60; ++tag) {
      const auto offset = static_cast<std::int64_t>(random() % 20);
      const auto length = static_cast<std::int64_t>(random() % static_cast<unsigned>(21 - offset));
      const Block block{offset, length};
      switch (random() % 3) {
        case 0:
          writer.send(block, 1, tag);
          break;
        case 1:
          writer.receive(block, 1, tag);
          break;
        default:
          writer.reduce(block, 1, kOrder, tag);
          break;
      }
    }
    const Status status = checkHazards(std::move(writer).finish());
    ASSERT_TRUE(status.isOk()) << status.message();
  }
}

}  // namespace
}  // namespace starling
