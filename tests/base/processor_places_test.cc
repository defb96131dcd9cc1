#include "base/processor_places.h"

#include <gtest/gtest.h>

#include "processor_sets.h"

namespace starling {
namespace {

// What the tests know of it is what Starling was built with, too.
bool hasHwloc() { return placeOf(setOf({0}), "pack:1 core:1 pu:1").has_value(); }

// Two packages with two caches each, of four cores, whose numbers go from package to package.
constexpr const char* kTwoSockets = "pack:2 l3:2 core:4 pu:1(indexes=0,2,4,6,8,10,12,14,1,3,5,7,9,11,13,15)";

TEST(ProcessorPlaces, areInTheOrderOfTheMachine) {
  if (!hasHwloc()) GTEST_SKIP() << "built without hwloc";
  EXPECT_EQ(placeOf(setOf({0}), kTwoSockets), (ProcessorPlace{0, 0}));
  EXPECT_EQ(placeOf(setOf({2}), kTwoSockets), (ProcessorPlace{0, 1}));
  EXPECT_EQ(placeOf(setOf({8}), kTwoSockets), (ProcessorPlace{4, 4}));
  EXPECT_EQ(placeOf(setOf({1}), kTwoSockets), (ProcessorPlace{8, 8}));
  EXPECT_EQ(placeOf(setOf({15}), kTwoSockets), (ProcessorPlace{12, 15}));
}

TEST(ProcessorPlaces, areThoseOfACacheOrOfAPackage) {
  if (!hasHwloc()) GTEST_SKIP() << "built without hwloc";
  EXPECT_EQ(placeOf(setOf({10, 12}), kTwoSockets), (ProcessorPlace{4, 5})) << "two that share a cache";
  EXPECT_EQ(placeOf(setOf({3, 11}), kTwoSockets), (ProcessorPlace{8, 9})) << "two of a package";
  EXPECT_EQ(placeOf(setOf({0, 1}), kTwoSockets), std::nullopt) << "two of two packages";
}

TEST(ProcessorPlaces, areThoseOfAPartOfAPackageThatHasItsMemory) {
  if (!hasHwloc()) GTEST_SKIP() << "built without hwloc";
  constexpr const char* kTwoParts = "pack:1 numa:2 l3:2 core:2 pu:1";
  EXPECT_EQ(placeOf(setOf({0, 2}), kTwoParts), (ProcessorPlace{0, 0}));
  EXPECT_EQ(placeOf(setOf({4, 6}), kTwoParts), (ProcessorPlace{4, 4}));
  EXPECT_EQ(placeOf(setOf({2, 4}), kTwoParts), (ProcessorPlace{0, 2})) << "two of the package";
}

TEST(ProcessorPlaces, ofProcessorsThatAreNotThereAreNotKnown) {
  EXPECT_EQ(placeOf(setOf({}), kTwoSockets), std::nullopt);
  EXPECT_EQ(placeOf(setOf({500}), kTwoSockets), std::nullopt);
  EXPECT_EQ(placeOf(setOf({0}), "no machine"), std::nullopt);
}

TEST(ProcessorPlaces, ofThisMachineAreFound) {
  if (!hasHwloc()) GTEST_SKIP() << "built without hwloc";
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
  int first = 0;
  while (!CPU_ISSET(first, &own)) ++first;
  const std::optional<ProcessorPlace> place = placeOf(setOf({first}));
  ASSERT_TRUE(place.has_value());
  EXPECT_LE(place->domain, place->processor);
}

}  // namespace
}  // namespace starling
