#include "mpi/rest/unplaced_calls.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

RestedCalls::Place placeOf(LocalSite local, std::int64_t calls) {
  RestedCalls::Place place;
  place.any.size_class = 3;
  place.choice = parseChoice("node").value();
  place.local = local;
  place.bytes = 8;
  place.calls = calls;
  return place;
}

TEST(UnplacedCalls, areRecordedUntilTheirPlaceHasAKey) {
  const CallSites sites(true);
  UnplacedCalls calls;
  EXPECT_TRUE(calls.add(placeOf(41, 5), sites, "world"));
  EXPECT_TRUE(calls.add(placeOf(42, 1), sites, "world"));
  EXPECT_TRUE(calls.add(placeOf(41, 2), sites, "world"));
  Batch batch;
  calls.drain(batch);
  ASSERT_EQ(batch.keys.size(), 2U);
  EXPECT_EQ(batch.sites.size(), 2U);
  EXPECT_EQ(batch.keys[0].id.communicator, "world");
  EXPECT_EQ(batch.keys[0].id.site, batch.sites[0].identity);
  EXPECT_EQ(batch.keys[0].calls, 7);
  EXPECT_EQ(batch.keys[0].bytes, 8);
  EXPECT_EQ(batch.keys[0].choice, "node");
  EXPECT_EQ(batch.keys[0].state, "observing");
  EXPECT_FALSE(batch.keys[0].seconds.has_value());
  Batch nothing;
  calls.drain(nothing);
  EXPECT_TRUE(nothing.isEmpty());
  EXPECT_EQ(calls.take(placeOf(41, 0).any, kAnySite, 41).calls, 7);
  EXPECT_EQ(calls.take(placeOf(41, 0).any, kAnySite, 41).calls, 0) << "it has a key now";
  EXPECT_EQ(calls.take({}, kAnySite, 42).calls, 0) << "calls of another size";
}

TEST(UnplacedCalls, areBounded) {
  const CallSites sites(true);
  UnplacedCalls calls;
  EXPECT_FALSE(calls.add(placeOf(0, 1), sites, "world")) << "of places that are not told apart";
  for (LocalSite local = 1; local <= UnplacedCalls::kMost; ++local) {
    EXPECT_TRUE(calls.add(placeOf(local, 1), sites, "world"));
  }
  EXPECT_FALSE(calls.add(placeOf(1000, 1), sites, "world"));
  EXPECT_TRUE(calls.add(placeOf(1, 1), sites, "world"));
}

}  // namespace
}  // namespace starling
