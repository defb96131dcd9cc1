#include "mpi/rest/rested_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace starling {
namespace {

RestingCall callOfClass(std::int32_t size_class) {
  RestingCall call;
  call.any.size_class = size_class;
  return call;
}

std::int64_t callsOf(const RestedCalls& calls) {
  const auto add = [](std::int64_t sum, const RestedCalls::Place& place) { return sum + place.calls; };
  return std::accumulate(calls.places().begin(), calls.places().end(), std::int64_t{0}, add);
}

TEST(RestedCalls, countsEachPlaceAndKindByItself) {
  RestedCalls calls;
  calls.reserve();
  EXPECT_TRUE(calls.places().empty());
  for (int i = 0; i < 3; ++i) calls.count(callOfClass(3), kAnySite, 41);
  calls.count(callOfClass(3), kAnySite, 42);
  calls.count(callOfClass(7), kAnySite, 41);
  calls.count(callOfClass(3), kFirstHandleSite, 0);
  for (int i = 0; i < 2; ++i) calls.count(callOfClass(3), kAnySite, 41);
  ASSERT_EQ(calls.places().size(), 4U);
  EXPECT_EQ(calls.places()[0].calls, 5);
  EXPECT_EQ(calls.places()[0].local, 41U);
  EXPECT_EQ(calls.places()[1].calls, 1);
  EXPECT_EQ(calls.places()[2].any, callOfClass(7).any);
  EXPECT_EQ(calls.places()[3].handle, kFirstHandleSite);
  calls.clear();
  EXPECT_TRUE(calls.places().empty());
  calls.count(callOfClass(7), kAnySite, 41);
  EXPECT_EQ(callsOf(calls), 1);
}

TEST(RestedCalls, losesNoCallOfMorePlacesThanItTellsApart) {
  RestedCalls calls;
  calls.reserve();
  constexpr int kPlaces = 1000;
  for (int round = 0; round < 2; ++round) {
    for (int place = 1; place <= kPlaces; ++place) {
      calls.count(callOfClass(place % 32), kAnySite, static_cast<LocalSite>(place));
    }
  }
  EXPECT_EQ(callsOf(calls), 2 * kPlaces);
  EXPECT_EQ(calls.places().size(), RestedCalls::kMostPlaces + 32);
  for (const RestedCalls::Place& place : calls.places().subspan(RestedCalls::kMostPlaces)) {
    EXPECT_EQ(place.local, 0U) << "of which place is not known";
  }
}

}  // namespace
}  // namespace starling
