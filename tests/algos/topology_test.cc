#include "algos/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Topology, followsTheTable) {
  const Topology topology{.nodes = {5, 5, 6}, .links = {0, 1, 2, 1, 0, 3, 2, 3, 0}};
  EXPECT_EQ(arranged(topology, {}), topology);
  const std::vector<std::int32_t> table{2, 0, 1};
  const Topology moved = arranged(topology, table);
  EXPECT_THAT(moved.nodes, ElementsAre(6, 5, 5));
  EXPECT_THAT(moved.links, ElementsAre(0, 2, 3, 2, 0, 1, 3, 1, 0));
  EXPECT_THAT(arranged({.nodes = {1, 2, 3}}, table).links, IsEmpty());
}

TEST(Topology, tellsRanksApartWhereSomeShareANodeOrLinksAreKnown) {
  const auto tells = [](const Topology& topology) { return tellsApart(&topology); };
  EXPECT_FALSE(tellsApart(nullptr));
  EXPECT_FALSE(tells({}));
  EXPECT_FALSE(tells({.nodes = {0, 1, 2}}));
  EXPECT_FALSE(tells({.nodes = {4, 4, 4}}));
  EXPECT_TRUE(tells({.nodes = {4, 4, 5}}));
  EXPECT_TRUE(tells({.nodes = {4, 4}, .links = {0, 1, 1, 0}}));
}

TEST(RanksOfNodes, comeByTheirLastRank) {
  const Topology topology{.nodes = {1, 0, 1, 2, 0}};
  EXPECT_THAT(ranksOfNodes(&topology, 5), ElementsAre(ElementsAre(0, 2), ElementsAre(3), ElementsAre(1, 4)));
  EXPECT_THAT(ranksOfNodes(nullptr, 2), ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST(SizesOfNodes, areThoseOfTheSmallestAndTheLargest) {
  Topology topology{.nodes = {1, 0, 1, 2, 0}};
  EXPECT_EQ(sizesOfNodes(&topology, 5), (NodeSizes{.nodes = 3, .fewest = 1, .most = 2}));
  for (std::int32_t& node : topology.nodes) node = (node - 4) * 1'000'000;
  EXPECT_EQ(sizesOfNodes(&topology, 5), (NodeSizes{.nodes = 3, .fewest = 1, .most = 2})) << "whatever their numbers";
  EXPECT_EQ(sizesOfNodes(nullptr, 2), (NodeSizes{.nodes = 2, .fewest = 1, .most = 1}));
}

std::string faultOf(std::string_view text) {
  const Result<std::vector<std::int32_t>> links = parseLinks(text);
  return links.isOk() ? "none" : links.status().message();
}

TEST(ParseLinks, readsRowsWithCommentsBlanksAndCommas) {
  EXPECT_THAT(parseLinks("# a comment\n0 2, 3\n\n2\t0 1 # another\n3,1,0").value(),
              ElementsAre(0, 2, 3, 2, 0, 1, 3, 1, 0));
  EXPECT_THAT(parseLinks("0\r\n").value(), ElementsAre(0));
}

TEST(ParseLinks, saysWhatIsWrongAndWhere) {
  EXPECT_THAT(faultOf(""), HasSubstr("0 rows of 0 numbers"));
  EXPECT_THAT(faultOf("0 1\n1 x"), HasSubstr("line 2: \"x\" is no whole number"));
  EXPECT_THAT(faultOf("0 -1\n-1 0"), HasSubstr("line 1: \"-1\""));
  EXPECT_THAT(faultOf("0 1000001\n1000001 0"), HasSubstr("line 1: \"1000001\""));
  EXPECT_THAT(faultOf("0 1\n1"), HasSubstr("line 2: 1 numbers, where the first row has 2"));
  EXPECT_THAT(faultOf("0 1\n"), HasSubstr("1 rows of 2 numbers"));
  EXPECT_THAT(faultOf("0 1\n1 4"), HasSubstr("line 2: rank 1 has a link to itself"));
  EXPECT_THAT(faultOf("#\n0 1\n2 0"), HasSubstr("lines 2 and 3: the link of ranks 0 and 1 has two values, 1 and 2"));
}

}  // namespace
}  // namespace starling
