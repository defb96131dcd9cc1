#include "base/status.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace starling {
namespace {

TEST(Status, isOkAndSilentWhenNothingFailed) {
  const Status status = Status::ok();
  EXPECT_TRUE(status.isOk());
  EXPECT_EQ(status.message(), "");
}

TEST(Status, carriesItsSentenceWhenSomethingFailed) {
  const Status status = Status::error("tuning.db is locked: end the other job");
  EXPECT_FALSE(status.isOk());
  EXPECT_EQ(status.message(), "tuning.db is locked: end the other job");
}

TEST(Status, isAnErrorEvenWhenTheSentenceIsEmpty) { EXPECT_FALSE(Status::error("").isOk()); }

TEST(Status, copiesKeepTheSentence) {
  const Status original = Status::error("no such site");
  const Status copy = original;
  EXPECT_EQ(copy.message(), original.message());
}

TEST(Result, holdsTheValueWhenOk) {
  const Result<std::string> result(std::string("ring"));
  ASSERT_TRUE(result.isOk());
  EXPECT_TRUE(result.status().isOk());
  EXPECT_EQ(result.value(), "ring");
}

TEST(Result, holdsTheStatusWhenFailed) {
  const Result<std::string> result(Status::error("no such algorithm"));
  EXPECT_FALSE(result.isOk());
  EXPECT_EQ(result.status().message(), "no such algorithm");
}

TEST(Result, valueCanBeChangedInPlace) {
  Result<int> result(1);
  result.value() += 41;
  EXPECT_EQ(result.value(), 42);
}

TEST(Result, givesAwayAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  const std::unique_ptr<int> taken = std::move(result).value();
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(*taken, 7);
}

}  // namespace
}  // namespace starling
