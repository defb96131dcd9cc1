#include "algos/topology_trees.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace starling {
namespace {

using Ranks = std::vector<std::int32_t>;

// Without a link matrix: what ranks of one node have for each other, and ranks of two.
constexpr std::int64_t kWithinNode = 10;
constexpr std::int64_t kBetweenNodes = 1;
// Fine enough for the penalty of a few dozen trees to be told in whole numbers.
constexpr std::int64_t kScale = 1'000'000;
constexpr std::int64_t kPenaltyTenths = 7;
// Of so many ranks all trees are searched.
constexpr std::size_t kMostSearched = 8;

class Weights {
 public:
  Weights(std::vector<std::int64_t>& weights, std::int32_t ranks) : weights_(weights), ranks_(ranks) {}

  std::int64_t operator()(std::int32_t a, std::int32_t b) const { return weights_[index(a, b)]; }
  void penalise(const TreeLink& link) {
    for (const std::size_t i : {index(link.parent, link.child), index(link.child, link.parent)}) {
      if (weights_[i] > 0) weights_[i] = std::max<std::int64_t>(weights_[i] * kPenaltyTenths / 10, 1);
    }
  }

 private:
  std::size_t index(std::int32_t a, std::int32_t b) const {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(b);
  }

  std::vector<std::int64_t>& weights_;
  std::int32_t ranks_;
};

struct Halves {
  Ranks near;  // with the root
  Ranks far;
};

// Kernighan and Lin's exchange of pairs until no sequence of exchanges makes the cut lighter. Of each pair both are the
// best of their half by themselves, as Fiduccia and Mattheyses (1982) take them: a pass is quadratic.
class Bisection {
 public:
  Bisection(const Weights& weights, const Ranks& ranks, std::int32_t root)
      : weights_(weights), ranks_(ranks), is_far_(ranks.size(), false), gains_(ranks.size()) {
    std::fill(is_far_.end() - static_cast<std::ptrdiff_t>(ranks.size() / 2), is_far_.end(), true);
    while (improve()) {
    }
    const auto place = std::find(ranks.begin(), ranks.end(), root) - ranks.begin();
    if (is_far_[static_cast<std::size_t>(place)]) is_far_.flip();
  }

  Halves halves() const {
    Halves halves;
    for (std::size_t i = 0; i < ranks_.size(); ++i) (is_far_[i] ? halves.far : halves.near).push_back(ranks_[i]);
    return halves;
  }

 private:
  // By how much the cut becomes lighter when one changes sides alone.
  std::int64_t gainOf(std::size_t i) const {
    std::int64_t gain = 0;
    for (std::size_t j = 0; j < ranks_.size(); ++j) {
      if (j != i) gain += (is_far_[i] != is_far_[j] ? 1 : -1) * weights_(ranks_[i], ranks_[j]);
    }
    return gain;
  }

  // Of the half, the one that gains most, and has not changed sides in this pass.
  std::optional<std::size_t> bestOf(bool is_far) const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (is_far_[i] == is_far && !is_fixed_[i] && (!best || gains_[i] > gains_[*best])) best = i;
    }
    return best;
  }

  void changeSides(std::size_t i) {
    is_far_[i] = !is_far_[i];
    gains_[i] = -gains_[i];
    for (std::size_t j = 0; j < ranks_.size(); ++j) {
      if (j != i) gains_[j] += (is_far_[i] != is_far_[j] ? 2 : -2) * weights_(ranks_[i], ranks_[j]);
    }
  }

  // One pass; false when it gained nothing.
  bool improve() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) gains_[i] = gainOf(i);
    is_fixed_.assign(ranks_.size(), false);
    std::vector<std::pair<std::size_t, std::size_t>> exchanges;
    std::int64_t sum = 0;
    std::int64_t most = 0;
    std::size_t kept = 0;
    while (const std::optional<std::size_t> near = bestOf(false)) {
      sum += gains_[*near];
      is_fixed_[*near] = true;
      changeSides(*near);
      const std::optional<std::size_t> far = bestOf(true);
      if (!far) {
        changeSides(*near);
        break;
      }
      sum += gains_[*far];
      is_fixed_[*far] = true;
      changeSides(*far);
      exchanges.emplace_back(*near, *far);
      if (sum > most) {
        most = sum;
        kept = exchanges.size();
      }
    }
    for (; exchanges.size() > kept; exchanges.pop_back()) {
      changeSides(exchanges.back().first);
      changeSides(exchanges.back().second);
    }
    return kept > 0;
  }

  const Weights& weights_;
  const Ranks& ranks_;
  std::vector<bool> is_far_;
  std::vector<bool> is_fixed_;
  std::vector<std::int64_t> gains_;
};

// All balanced trees below a root over links that exist: the heaviest.
class Search {
 public:
  explicit Search(const Weights& weights) : weights_(weights) {}

  struct Found {
    std::int64_t weight = -1;  // below 0: there is none
    TreeLinks links;           // a root's links in the order of the cuts
  };

  const Found& best(const Ranks& ranks, std::int32_t root) {
    const auto [known, is_new] = known_.try_emplace({ranks, root});
    if (!is_new) return known->second;
    Found found;
    if (ranks.size() == 1) {
      found.weight = 0;
    } else {
      tryCuts(ranks, ranks.size() / 2, root, found);
      if (ranks.size() % 2 == 1) tryCuts(ranks, ranks.size() / 2 + 1, root, found);
    }
    return known_[{ranks, root}] = std::move(found);
  }

 private:
  // All halves of which the far one has this size.
  void tryCuts(const Ranks& ranks, std::size_t far_size, std::int32_t root, Found& found) {
    std::vector<bool> is_far(ranks.size(), false);
    std::fill(is_far.end() - static_cast<std::ptrdiff_t>(far_size), is_far.end(), true);
    do {
      tryCut(ranks, is_far, root, found);
    } while (std::next_permutation(is_far.begin(), is_far.end()));
  }

  void tryCut(const Ranks& ranks, const std::vector<bool>& is_far, std::int32_t root, Found& found) {
    Halves halves;
    for (std::size_t i = 0; i < ranks.size(); ++i) (is_far[i] ? halves.far : halves.near).push_back(ranks[i]);
    if (std::find(halves.far.begin(), halves.far.end(), root) != halves.far.end()) return;
    const Found near = best(halves.near, root);
    if (near.weight < 0) return;
    for (const std::int32_t child : halves.far) {
      if (weights_(root, child) == 0) continue;
      const Found& far = best(halves.far, child);
      const std::int64_t weight = near.weight + far.weight + weights_(root, child);
      if (far.weight < 0 || weight <= found.weight) continue;
      found.weight = weight;
      found.links = {{root, child}};
      found.links.insert(found.links.end(), near.links.begin(), near.links.end());
      found.links.insert(found.links.end(), far.links.begin(), far.links.end());
    }
  }

  const Weights& weights_;
  std::map<std::pair<Ranks, std::int32_t>, Found> known_;
};

// Appends the links of a tree of these ranks, a root's links in the order of the cuts.
void grow(const Weights& weights, const Ranks& ranks, std::int32_t root, TreeLinks& links) {
  if (ranks.size() < 2) return;
  const Halves halves = Bisection(weights, ranks, root).halves();
  const std::int32_t child =
      *std::max_element(halves.far.begin(), halves.far.end(),
                        [&](std::int32_t a, std::int32_t b) { return weights(root, a) < weights(root, b); });
  if (weights(root, child) == 0 && ranks.size() <= kMostSearched) {
    Search search(weights);
    const Search::Found& found = search.best(ranks, root);
    if (found.weight >= 0) {
      links.insert(links.end(), found.links.begin(), found.links.end());
      return;
    }
  }
  links.push_back({root, child});
  grow(weights, halves.near, root, links);
  grow(weights, halves.far, child, links);
}

std::vector<std::int64_t> initialWeights(const Topology* topology, std::int32_t ranks) {
  const bool has_links = topology != nullptr && !topology->links.empty();
  const bool has_nodes = topology != nullptr && !topology->nodes.empty();
  std::vector<std::int64_t> weights;
  for (std::size_t a = 0; a < static_cast<std::size_t>(ranks); ++a) {
    for (std::size_t b = 0; b < static_cast<std::size_t>(ranks); ++b) {
      const bool is_near = has_nodes && topology->nodes[a] == topology->nodes[b];
      const std::int64_t by_node = is_near ? kWithinNode : kBetweenNodes;
      const std::int64_t weight = has_links ? topology->links[a * static_cast<std::size_t>(ranks) + b] : by_node;
      weights.push_back(a == b ? 0 : kScale * weight);
    }
  }
  return weights;
}

}  // namespace

std::vector<TreeLinks> topologyTrees(const Topology* topology, std::int32_t ranks, std::int32_t trees) {
  std::vector<std::int64_t> numbers = initialWeights(topology, ranks);
  Weights weights(numbers, ranks);
  Ranks all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  std::vector<TreeLinks> made;
  for (std::int32_t tree = 0; tree < trees; ++tree) {
    TreeLinks& links = made.emplace_back();
    grow(weights, all, ranks - 1 - tree, links);
    for (const TreeLink& link : links) weights.penalise(link);
  }
  return made;
}

TreePlace placeIn(const TreeLinks& tree, std::int32_t rank) {
  TreePlace place;
  // The smallest part is combined first: it has the shortest way.
  for (auto link = tree.rbegin(); link != tree.rend(); ++link) {
    if (link->child == rank) place.parent = link->parent;
    if (link->parent == rank) place.children.push_back({link->child, OperandOrder::kIncomingRight});
  }
  return place;
}

}  // namespace starling
