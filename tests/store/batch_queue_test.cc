#include "store/batch_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace starling {
namespace {

// A batch whose parts tell that they are of it.
Batch numbered(int number) {
  Batch batch;
  SiteRecord site;
  site.identity = "label:" + std::to_string(number);
  batch.sites.push_back(site);
  ObservationRecord observation;
  observation.epoch = number;
  batch.observations.push_back(observation);
  PolicyRecord policy;
  policy.site = "label:of all";
  policy.reason = std::to_string(number);
  batch.policies.push_back(policy);
  return batch;
}

// Takes all that waits, in its order.
Batch emptied(BatchQueue& queue) {
  Batch all;
  for (; !queue.isEmpty(); queue.pop()) {
    Batch first = queue.first();
    all.append(std::move(first));
  }
  return all;
}

TEST(BatchQueue, hasBatchesInTheirOrder) {
  BatchQueue queue;
  EXPECT_TRUE(queue.isEmpty());
  for (int i = 0; i < 3; ++i) queue.push(numbered(i));
  for (int i = 0; i < 3; ++i, queue.pop()) EXPECT_EQ(queue.first(), numbered(i));
  EXPECT_TRUE(queue.isEmpty());
}

TEST(BatchQueue, joinsAsManyAsAreWrittenTogether) {
  BatchQueue queue;
  const int batches = static_cast<int>(BatchQueue::kMostJoined) + 3;
  for (int i = 0; i < batches; ++i) queue.push(numbered(i));
  EXPECT_TRUE(queue.isLong());
  queue.joinFirst();
  EXPECT_EQ(queue.first().observations.size(), BatchQueue::kMostJoined);
  EXPECT_FALSE(queue.isLong());
  const Batch all = emptied(queue);
  ASSERT_EQ(all.observations.size(), static_cast<std::size_t>(batches));
  for (int i = 0; i < batches; ++i) EXPECT_EQ(all.observations[static_cast<std::size_t>(i)].epoch, i);
}

TEST(BatchQueue, losesFiguresOfTheOldestButTheFirstAndNothingThatOthersReferTo) {
  BatchQueue queue;
  const int batches = static_cast<int>(BatchQueue::kLongest) + 5;
  for (int i = 0; i < batches; ++i) queue.push(numbered(i));
  EXPECT_EQ(queue.first(), numbered(0)) << "it may be being written";
  const Batch all = emptied(queue);
  EXPECT_EQ(all.sites.size(), static_cast<std::size_t>(batches));
  EXPECT_EQ(all.observations.size(), BatchQueue::kLongest);
  EXPECT_EQ(all.observations[0].epoch, 0);
  EXPECT_EQ(all.observations[1].epoch, 6) << "1 to 5 are lost";
  EXPECT_EQ(all.policies.back().reason, std::to_string(batches - 1));
  EXPECT_EQ(all.policies.size(), BatchQueue::kLongest) << "of those that were renewed none is kept longer";
}

}  // namespace
}  // namespace starling
