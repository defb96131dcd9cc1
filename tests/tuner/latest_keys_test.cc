#include "tuner/latest_keys.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

constexpr KeyShape kShape{.ranks = 4, .size_class = 10, .placement = 7};
const Choice kRing = parseChoice("ring").value();
const Choice kTree = parseChoice("slt").value();

KeyShape ofSizeClass(std::int32_t size_class) {
  return {.ranks = kShape.ranks, .size_class = size_class, .placement = kShape.placement};
}
KeyOrigin at(const std::string& site) { return {.type = 1, .operation = 2, .site = site}; }
LatestKeys::Known known(const std::string& site, const Choice& choice, const KeyShape& shape = kShape) {
  return {shape, at(site), {choice, {}}, std::make_shared<KeyArrivals>(shape.ranks)};
}

TEST(LatestKeys, tellWhatAKeyOfTheVeryShapeRunsThatOfTheSiteFirst) {
  const std::vector<PlacedRank> placed{{.rank = 1, .place = 3, .lateness_ns = 5}};
  LatestKeys keys;
  EXPECT_EQ(keys.findChoice(kShape, at("a")), nullptr);
  LatestKeys::Known first = known("a", kRing);
  first.runs.placed = placed;
  keys.note(first);
  keys.note(known("b", kTree));
  EXPECT_EQ(keys.findChoice(kShape, at("a"))->choice, kRing);
  EXPECT_EQ(keys.findChoice(kShape, at("a"))->placed, placed);
  EXPECT_EQ(keys.findChoice(kShape, at("b"))->choice, kTree);
  EXPECT_EQ(keys.findChoice(kShape, at("c"))->choice, kTree) << "the latest";
  keys.note(known("a", kTree));
  EXPECT_EQ(keys.findChoice(kShape, at("a"))->choice, kTree) << "in place of what was known";
}

TEST(LatestKeys, tellNothingOfKeysThatAreUnlike) {
  LatestKeys keys;
  keys.note(known("a", kRing));
  for (const KeyShape& other : {ofSizeClass(11), KeyShape{5, 10, 7}, KeyShape{4, 10, 8}}) {
    EXPECT_EQ(keys.findChoice(other, at("a")), nullptr);
    EXPECT_EQ(keys.findArrivals(other, at("a")), nullptr);
  }
  for (const KeyOrigin& other : {KeyOrigin{2, 2, "a"}, KeyOrigin{1, 1, "a"}}) {
    EXPECT_EQ(keys.findChoice(kShape, other), nullptr);
    EXPECT_EQ(keys.findArrivals(kShape, other), nullptr);
  }
}

TEST(LatestKeys, tellHowRanksComeAtTheVerySiteAlone) {
  LatestKeys keys;
  keys.note(known("a", kRing));
  EXPECT_NE(keys.findArrivals(kShape, at("a")), nullptr);
  EXPECT_EQ(keys.findArrivals(kShape, at("b")), nullptr);
}

TEST(LatestKeys, followHowRanksAreArrangedOfAKeyThatIsKnownToRunThis) {
  LatestKeys keys;
  keys.note(known("a", kRing));
  LatestKeys::Known rearranged = known("a", kRing);
  rearranged.runs.placed = {{.rank = 1, .place = 3, .lateness_ns = 5}};
  keys.rearrange(rearranged);
  EXPECT_EQ(keys.findChoice(kShape, at("a"))->placed, rearranged.runs.placed);
  EXPECT_EQ(keys.findArrivals(kShape, at("a")), rearranged.arrivals);
  keys.rearrange(known("a", kTree));
  EXPECT_EQ(keys.findChoice(kShape, at("a"))->choice, kRing) << "what is tried";
  keys.rearrange(known("b", kRing));
  EXPECT_EQ(keys.findArrivals(kShape, at("b")), nullptr) << "what nobody was told of";
}

TEST(LatestKeys, listTheLatestOfEachKindThatDoesNotRunNative) {
  LatestKeys keys;
  keys.note(known("a", kRing));
  keys.note(known("b", kTree));
  keys.note(known("a", kRing, ofSizeClass(12)));
  keys.note(known("a", kRing, ofSizeClass(13)));
  keys.note(known("b", kNativeChoice, ofSizeClass(13)));
  keys.note(known("a", kRing, {.ranks = 8, .size_class = 14, .placement = 7}));
  keys.note(known("a", kRing, {.ranks = 4, .size_class = 14, .placement = 8}));
  const auto latest = keys.latestOn(kShape, 8);
  ASSERT_EQ(latest.size(), 2U);
  EXPECT_EQ(latest[0].get().shape.size_class, 12);
  EXPECT_EQ(latest[1].get().shape.size_class, 10);
  EXPECT_EQ(latest[1].get().runs.choice, kTree) << "the latest of both sites";
  EXPECT_EQ(keys.latestOn(kShape, 1).size(), 1U);
  LatestKeys::Known other = known("a", kRing);
  other.origin.operation = 3;
  keys.note(other);
  EXPECT_EQ(keys.latestOn(kShape, 8).size(), 3U) << "of another operation";
}

TEST(LatestKeys, forgetWhatWasSlowElsewhere) {
  LatestKeys keys;
  keys.note(known("a", kRing));
  keys.note(known("b", kTree));
  keys.note(known("a", kTree, ofSizeClass(12)));
  keys.noteStop(kShape, at(""), kTree);
  EXPECT_EQ(keys.findChoice(kShape, at("a"))->choice, kRing);
  EXPECT_EQ(keys.findChoice(kShape, at("b"))->choice, kNativeChoice);
  ASSERT_EQ(keys.latestOn(kShape, 8).size(), 1U) << "the ring is not the latest of its kind";
  EXPECT_EQ(keys.latestOn(kShape, 8).front().get().shape.size_class, 12);
}

TEST(LatestKeys, areBounded) {
  LatestKeys keys;
  const auto on = [](std::int32_t ranks) { return KeyShape{.ranks = ranks, .size_class = 10}; };
  for (std::int32_t ranks = 2; ranks < 1000; ++ranks) keys.note(known("a", kRing, on(ranks)));
  std::size_t kept = 0;
  for (std::int32_t ranks = 2; ranks < 1000; ++ranks) kept += keys.latestOn(on(ranks), 1).size();
  EXPECT_EQ(kept, LatestKeys::kMaxKeys);
  EXPECT_EQ(keys.latestOn(on(999), 1).size(), 1U) << "the latest";
}

TEST(Placement, isToldApartByNodesAndMemory) {
  const std::vector<std::int32_t> one_node{0, 0, 0, 0};
  const std::vector<std::int32_t> two_nodes{0, 0, 2, 2};
  EXPECT_EQ(hashOfPlacement(two_nodes, true), hashOfPlacement(std::vector<std::int32_t>{0, 0, 2, 2}, true));
  EXPECT_NE(hashOfPlacement(two_nodes, true), hashOfPlacement(one_node, true));
  EXPECT_NE(hashOfPlacement(two_nodes, true), hashOfPlacement(two_nodes, false));
}

}  // namespace
}  // namespace starling
