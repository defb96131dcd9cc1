// Which ranks tell each other what is announced: pure logic.
#pragma once

#include <optional>
#include <vector>

namespace starling {

// Up to so many ranks tell each other directly: each is the root of a tree of its own whose leaves are all others.
inline constexpr int kMostDirectRanks = 16;
// So many trees all larger numbers of ranks have.
inline constexpr int kAnnouncementTrees = 4;

// The ranks that one rank has to do with.
//
// The ranks form trees, and each tree holds all ranks. A rank with children in a tree is inner there, one without is a
// leaf. No rank is inner in two trees: so each has one tree of its own at most, no two ranks are parent and child in
// two trees, and L late ranks are inner in L trees at most.
//
// What a leaf announces goes to its parent in each tree at once, from the midst of a computation. All else is done in
// the call that follows: an inner rank tells its parent in its own tree when it knows what all below it announce, and
// whoever knows of all ranks tells its children, and its parent if that is still to be told. As everybody has a parent
// in every tree, one tree whose inner ranks have all come is enough for all ranks that have come.
struct AnnouncementPeers {
  std::vector<int> heeding_parents;  // in the trees in which the rank is a leaf
  std::vector<int> leaves;           // the children that are leaves
  std::vector<int> branches;         // the children that are inner themselves
  std::optional<int> own_parent;     // in the rank's own tree
  // In the trees of direct announcements nobody tells the result, since every root knows it.
  std::vector<int> results_from;  // the parents in all trees
  std::vector<int> results_to;    // all children
};

// Each list has at most `fan-in` entries, which is ranks - 1 for direct announcements, and else twice the logarithm of
// the ranks to base 2, rounded up. REQUIRES: 0 <= rank < ranks.
AnnouncementPeers announcementPeers(int ranks, int rank);

}  // namespace starling
