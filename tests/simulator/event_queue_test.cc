#include "simulator/event_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace starling {
namespace {

std::vector<StepId> handled(EventQueue& queue) {
  std::vector<StepId> subjects;
  while (std::isfinite(queue.nextTime())) {
    queue.handle(queue.nextTime(), [&](const Event& event) { subjects.push_back(event.subject); });
  }
  return subjects;
}

TEST(EventQueue, handlesEventsOfTheHeapAndOfAllLinesByTime) {
  EventQueue queue(std::pmr::get_default_resource());
  EXPECT_EQ(queue.nextTime(), HUGE_VAL);
  queue.push({3.0, EventKind::kShared, 5});
  queue.push({1.0, EventKind::kShared, 1});
  queue.push(0, {2.0, EventKind::kDelivered, 3});
  queue.push(0, {4.0, EventKind::kDelivered, 6});
  queue.push(EventQueue::kLines - 1, {2.5, EventKind::kDeparted, 4});
  queue.push({1.0, EventKind::kShared, 2});
  EXPECT_EQ(queue.nextTime(), 1.0);
  EXPECT_THAT(handled(queue), testing::ElementsAre(1, 2, 3, 4, 5, 6));
  queue.push(0, {1.0, EventKind::kDelivered, 7});
  EXPECT_THAT(handled(queue), testing::ElementsAre(7)) << "a line that was emptied begins anew";
}

TEST(EventQueue, handlesWithATimeWhatIsAddedForItMeanwhile) {
  EventQueue queue(std::pmr::get_default_resource());
  queue.push(0, {1.0, EventKind::kDelivered, 1});
  std::vector<StepId> subjects;
  queue.handle(1.0, [&](const Event& event) {
    subjects.push_back(event.subject);
    if (event.subject == 1) queue.push({1.0, EventKind::kCombined, 2});
    if (event.subject == 2) queue.push(1, {1.0, EventKind::kDeparted, 3});
    if (event.subject == 3) queue.push(1, {2.0, EventKind::kDeparted, 4});
  });
  EXPECT_THAT(subjects, testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(queue.nextTime(), 2.0);
}

TEST(EventQueue, handlesInOneTimeALineThatIsEmptiedAndFilledAgainAndOneBeforeIt) {
  EventQueue queue(std::pmr::get_default_resource());
  queue.push(EventQueue::kLines - 1, {1.0, EventKind::kDeparted, 1});
  std::vector<StepId> subjects;
  queue.handle(1.0, [&](const Event& event) {
    subjects.push_back(event.subject);
    if (event.subject == 1) queue.push(EventQueue::kLines - 1, {1.0, EventKind::kDeparted, 2});
    if (event.subject == 2) queue.push(0, {1.0, EventKind::kDelivered, 3});
  });
  EXPECT_THAT(subjects, testing::ElementsAre(1, 2, 3));
  queue.push(0, {1.0, EventKind::kDelivered, 4});
  EXPECT_EQ(queue.nextTime(), 1.0) << "what is added after that is handled next";
  EXPECT_THAT(handled(queue), testing::ElementsAre(4));
}

}  // namespace
}  // namespace starling
