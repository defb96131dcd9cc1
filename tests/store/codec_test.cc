#include "store/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "fixture.h"

namespace starling {
namespace {

using testing::HasSubstr;

TEST(Codec, batchComesBackWhenDecoded) {
  Batch batch = sampleBatch();
  batch.keys.push_back(batch.keys.front());
  batch.keys.back().gain.reset();
  batch.keys.back().imbalance.reset();
  batch.observations.front().post_arrival_mean.reset();
  batch.communicators.front().compared_by.reset();
  batch.keys.back().table.clear();
  batch.keys.back().seconds = 1.0 / 3.0;
  const Result<Batch> decoded = decodeBatch(encodeBatch(batch));
  ASSERT_TRUE(decoded.isOk()) << decoded.status().message();
  EXPECT_TRUE(decoded.value() == batch);
}

TEST(Codec, emptyBatchComesBackEmpty) {
  const Result<Batch> decoded = decodeBatch(encodeBatch(Batch{}));
  ASSERT_TRUE(decoded.isOk()) << decoded.status().message();
  EXPECT_TRUE(decoded.value().isEmpty());
}

TEST(Codec, policiesComeBackWhenDecoded) {
  const std::vector<PolicyRecord> policies = {samplePolicy(), PolicyRecord{}};
  const Result<std::vector<PolicyRecord>> decoded = decodePolicies(encodePolicies(policies));
  ASSERT_TRUE(decoded.isOk()) << decoded.status().message();
  EXPECT_TRUE(decoded.value() == policies);
}

// What is sent and stored of a plan is as long with many ranks as with few, of whom one comes late.
TEST(Codec, tablesOfManyRanksAreShort) {
  PolicyRecord few = samplePolicy();
  PolicyRecord many = few;
  many.communicator_size = 100'000;
  many.table.resize(100'000);
  std::iota(many.table.begin(), many.table.end(), 0);
  std::rotate(many.table.begin() + 40, many.table.begin() + 41, many.table.end());
  many.lateness_ns.assign(100'000, 0);
  many.lateness_ns.back() = 5'000'000;
  const std::vector<std::uint8_t> bytes = encodePolicies({many});
  EXPECT_LT(bytes.size(), encodePolicies({few}).size() + 100);
  const Result<std::vector<PolicyRecord>> decoded = decodePolicies(bytes);
  ASSERT_TRUE(decoded.isOk()) << decoded.status().message();
  EXPECT_TRUE(decoded.value() == std::vector{many});
}

TEST(Codec, figuresThatAreNotNumbersSurvive) {
  Batch batch = sampleBatch();
  batch.keys.front().imbalance = std::nan("");
  batch.keys.front().seconds = HUGE_VAL;
  const Result<Batch> decoded = decodeBatch(encodeBatch(batch));
  ASSERT_TRUE(decoded.isOk()) << decoded.status().message();
  EXPECT_TRUE(std::isnan(decoded.value().keys.front().imbalance.value()));
  EXPECT_EQ(decoded.value().keys.front().seconds, HUGE_VAL);
}

TEST(Codec, everyCutIsAnError) {
  const std::vector<std::uint8_t> bytes = encodeBatch(sampleBatch());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decodeBatch({bytes.data(), size}).isOk()) << "cut to " << size;
  }
}

TEST(Codec, trailingBytesAreAnError) {
  std::vector<std::uint8_t> bytes = encodeBatch(sampleBatch());
  bytes.push_back(0);
  EXPECT_FALSE(decodeBatch(bytes).isOk());
}

TEST(Codec, noDamageThrowsOut) {
  const std::vector<std::uint8_t> bytes = encodeBatch(sampleBatch());
  std::minstd_rand random(1);
  for (int trial = 0; trial < 1'500; ++trial) {
    std::vector<std::uint8_t> damaged = bytes;
    for (auto flips = 1 + random() % 3; flips > 0; --flips) {
      damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
    }
    const Result<Batch> decoded = decodeBatch(damaged);  // a changed digit still decodes: only the way out counts
    if (!decoded.isOk()) {
      EXPECT_THAT(decoded.status().message(), HasSubstr("same build")) << "trial " << trial;
    }
  }
}

TEST(Codec, hugeLengthsAndDepthsAreErrors) {
  const std::vector<std::uint8_t> list_of_2_to_60 = {0x9b, 0x10, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_FALSE(decodePolicies(list_of_2_to_60).isOk());
  const std::vector<std::uint8_t> text_of_2_to_60 = {0x7b, 0x10, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_FALSE(decodePolicies(text_of_2_to_60).isOk());
  EXPECT_FALSE(decodePolicies(std::vector<std::uint8_t>(10'000'000, 0x81)).isOk());
}

TEST(Codec, errorNamesFieldWhenRecordsDiffer) {
  EXPECT_THAT(decodeBatch(encodePolicies({samplePolicy()})).status().message(), HasSubstr("batch: is a list"));
  EXPECT_THAT(decodePolicies(encodeBatch(Batch{})).status().message(), HasSubstr("policies: is an object"));
}

}  // namespace
}  // namespace starling
