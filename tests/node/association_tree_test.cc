#include "node/association_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "algos/catalogue.h"
#include "thread_ranks.h"

namespace starling {
namespace {

struct Vectors {
  Vectors(std::int32_t ranks, std::int64_t count) {
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      auto& vector = values.emplace_back();
      for (std::int64_t i = 0; i < count; ++i) vector.push_back(inputOf(rank, 7, i));
    }
  }
  std::vector<const std::byte*> operands(const AssociationTree& tree) const {
    std::vector<const std::byte*> found(values.size() + tree.nodes().size());
    for (std::size_t i = 0; i < values.size(); ++i) found[i] = reinterpret_cast<const std::byte*>(values[i].data());
    return found;
  }

  std::vector<std::vector<std::uint64_t>> values;
};

TEST(AssociationTree, combinesAsRecursiveDoublingDoes) {
  for (std::int32_t ranks = 2; ranks <= 70; ++ranks) {
    AssociationTree tree = AssociationTree::ofRanks(ranks);
    ASSERT_EQ(tree.leaves(), ranks);
    ASSERT_EQ(tree.nodes().size(), static_cast<std::size_t>(ranks) - 1);
    const Vectors vectors(ranks, 3);
    std::vector<std::uint64_t> out(3);
    tree.evaluate(kMixing, vectors.operands(tree), reinterpret_cast<std::byte*>(out.data()), 3);
    for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], expectedOf(ranks, 7, i)) << ranks;
  }
}

TEST(AssociationTree, combinesLongVectorsPartByPart) {
  constexpr std::int64_t kCount = 5000;
  AssociationTree tree = AssociationTree::ofRanks(7);
  const Vectors vectors(7, kCount);
  std::vector<std::uint64_t> out(kCount);
  tree.evaluate(kMixing, vectors.operands(tree), reinterpret_cast<std::byte*>(out.data()), kCount);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < kCount; ++i) wrong += out[static_cast<std::size_t>(i)] == expectedOf(7, 7, i) ? 0 : 1;
  EXPECT_EQ(wrong, 0);
}

TEST(AssociationTree, putsTheResultWhereAnOperandWas) {
  AssociationTree tree = AssociationTree::ofRanks(4);
  Vectors vectors(4, 10);
  const std::vector<const std::byte*> operands = vectors.operands(tree);
  tree.evaluate(kMixing, operands, reinterpret_cast<std::byte*>(vectors.values[2].data()), 10);
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(vectors.values[2][static_cast<std::size_t>(i)], expectedOf(4, 7, i));
}

// Whatever is known already, the result is the same, and what it was made of is not looked at.
TEST(AssociationTree, takesWhatIsKnownAlready) {
  constexpr std::int32_t kRanks = 11;
  AssociationTree tree = AssociationTree::ofRanks(kRanks);
  for (std::size_t known = 0; known + 1 < tree.nodes().size(); ++known) {
    const Vectors vectors(kRanks, 1);
    std::vector<const std::byte*> operands = vectors.operands(tree);
    std::vector<std::uint64_t> results(tree.nodes().size());
    for (std::size_t i = 0; i <= known; ++i) {
      const AssociationTree::Node& node = tree.nodes()[i];
      auto* const result = reinterpret_cast<std::byte*>(&results[i]);
      kMixing(operands[static_cast<std::size_t>(node.left)], operands[static_cast<std::size_t>(node.right)], result, 1);
      operands[kRanks + i] = result;
    }
    std::uint64_t out = 0;
    tree.evaluate(kMixing, operands, reinterpret_cast<std::byte*>(&out), 1);
    EXPECT_EQ(out, expectedOf(kRanks, 7, 0)) << known;
  }
}

TEST(AssociationTree, namesTheFirstLeafBelowEachNode) {
  const AssociationTree tree = AssociationTree::ofRanks(6);  // ((0 1) (2 3)) (4 5)
  std::vector<std::int32_t> first;
  for (const AssociationTree::Node& node : tree.nodes()) first.push_back(node.first_leaf);
  EXPECT_EQ(first, (std::vector<std::int32_t>{0, 2, 0, 4, 0}));
}

}  // namespace
}  // namespace starling
