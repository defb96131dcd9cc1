#include "mpi/exchange/announcement_peers.h"

#include <algorithm>
#include <bit>

namespace starling {
namespace {

// All trees have one shape, in which the places are numbered as in a heap: the inner ones come first. The trees differ
// in the rank that is the root, from which on ranks follow in their order: they are so far apart that no rank has an
// inner place in two trees. Neighbours, which may all be late as they share a machine, mostly are inner in one tree.
class Trees {
 public:
  explicit Trees(int ranks) : ranks_(ranks), count_(isDirect() ? ranks : kAnnouncementTrees) {
    const int logarithm = std::bit_width(static_cast<unsigned>(ranks - 1));
    fan_in_ = std::max(isDirect() ? ranks - 1 : 2 * logarithm, 1);
    inner_places_ = (ranks - 1 + fan_in_ - 1) / fan_in_;
  }

  bool isDirect() const { return ranks_ <= kMostDirectRanks; }
  int count() const { return count_; }
  int ownTree(int rank) const { return std::min(rank / stride(), count_ - 1); }
  int rankOf(int tree, int place) const { return (place + tree * stride()) % ranks_; }
  int placeOf(int tree, int rank) const { return (rank - tree * stride() + ranks_) % ranks_; }
  bool isInner(int place) const { return place < inner_places_; }
  int parentOf(int place) const { return (place - 1) / fan_in_; }
  int firstChildOf(int place) const { return place * fan_in_ + 1; }
  int endOfChildren(int place) const { return std::min(firstChildOf(place) + fan_in_, ranks_); }

 private:
  int stride() const { return ranks_ / count_; }

  int ranks_;
  int count_;
  int fan_in_;
  int inner_places_;
};

}  // namespace

AnnouncementPeers announcementPeers(int ranks, int rank) {
  const Trees trees(ranks);
  AnnouncementPeers peers;
  // Every rank begins with another tree, so that not all messages go to one rank at a time.
  for (int i = 1; i <= trees.count(); ++i) {
    const int tree = (rank + i) % trees.count();
    const int place = trees.placeOf(tree, rank);
    if (place == 0) continue;
    const int parent = trees.rankOf(tree, trees.parentOf(place));
    if (trees.isInner(place)) {
      peers.own_parent = parent;
    } else {
      peers.heeding_parents.push_back(parent);
    }
    if (!trees.isDirect()) peers.results_from.push_back(parent);
  }
  const int own = trees.ownTree(rank);
  const int place = trees.placeOf(own, rank);
  if (!trees.isInner(place)) return peers;
  for (int child = trees.firstChildOf(place); child < trees.endOfChildren(place); ++child) {
    (trees.isInner(child) ? peers.branches : peers.leaves).push_back(trees.rankOf(own, child));
    if (!trees.isDirect()) peers.results_to.push_back(trees.rankOf(own, child));
  }
  return peers;
}

}  // namespace starling
