#include "schedule/schedule_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <set>
#include <vector>

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

// What each step has to wait for, element by element: a read for the last write, a write for the reads since, or, where
// there are none, for that write.
std::vector<std::vector<std::uint32_t>> waitsOf(const Schedule& schedule) {
  struct Element {
    std::optional<std::uint32_t> writer;
    std::set<std::uint32_t> readers;
  };
  std::vector<Element> elements(static_cast<std::size_t>(schedule.count));
  std::vector<std::vector<std::uint32_t>> waits;
  for (std::uint32_t number = 0; number < schedule.steps.size(); ++number) {
    const Step& step = schedule.steps[number];
    std::set<std::uint32_t> own;
    for (std::int64_t i = step.block.offset; i < step.block.offset + step.block.count; ++i) {
      Element& element = elements[static_cast<std::size_t>(i)];
      const bool reads = step.kind == StepKind::kSend;
      if (element.writer && (reads || element.readers.empty())) own.insert(*element.writer);
      if (reads) {
        element.readers.insert(number);
      } else {
        own.insert(element.readers.begin(), element.readers.end());
        element = {number, {}};
      }
    }
    waits.emplace_back(own.begin(), own.end());
  }
  return waits;
}

TEST(ScheduleWriter, randomStepsWaitForWhatTheyHaveToAndNothingElse) {
  constexpr unsigned kSeed = 17;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 200; ++round) {
    ScheduleWriter writer = writerFor(20);
    Block block{0, 20};
    for (std::int32_t tag = 0; tag < 60; ++tag) {
      // As in most builders, half of the steps have the block of the step before.
      if (random() % 2 == 0) {
        block.offset = static_cast<std::int64_t>(random() % 20);
        block.count = static_cast<std::int64_t>(random() % static_cast<unsigned>(21 - block.offset));
      }
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
    const Schedule schedule = std::move(writer).finish();
    const std::vector<std::vector<std::uint32_t>> waits = waitsOf(schedule);
    for (std::size_t number = 0; number < schedule.steps.size(); ++number) {
      ASSERT_THAT(schedule.dependenciesOf(schedule.steps[number]), testing::ElementsAreArray(waits[number]))
          << "step " << number;
    }
    const Status status = checkHazards(schedule);
    ASSERT_TRUE(status.isOk()) << status.message();
  }
}

}  // namespace
}  // namespace starling
