#include "algos/tree_search.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace starling {
namespace {

using Ranks = std::pmr::vector<std::int32_t>;
using Sides = std::pmr::vector<std::int8_t>;  // by place in a list of ranks: 1 in the far half, 0 in the near one

// Without a link matrix, ranks of one node have this weight for each other, and ranks of two nodes the next one.
constexpr std::int64_t kWithinNode = 10;
constexpr std::int64_t kBetweenNodes = 1;
// This scale is fine enough to tell the penalty of a few dozen trees in whole numbers.
constexpr std::int64_t kScale = 1'000'000;
constexpr std::int64_t kPenaltyTenths = 7;
// All trees are searched of so many ranks at most.
constexpr std::size_t kMaxSearchedRanks = 8;

class Weights {
 public:
  Weights(std::pmr::vector<std::int64_t>& weights, std::int32_t ranks) : weights_(weights), ranks_(ranks) {}

  std::int64_t operator()(std::int32_t a, std::int32_t b) const { return weights_[index(a, b)]; }
  std::pmr::memory_resource* memory() const { return weights_.get_allocator().resource(); }
  void penalise(const TreeLink& link) {
    for (const std::size_t i : {index(link.parent, link.child), index(link.child, link.parent)}) {
      if (weights_[i] > 0) weights_[i] = std::max<std::int64_t>(weights_[i] * kPenaltyTenths / 10, 1);
    }
  }

 private:
  std::size_t index(std::int32_t a, std::int32_t b) const {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(b);
  }

  std::pmr::vector<std::int64_t>& weights_;
  std::int32_t ranks_;
};

struct Halves {
  explicit Halves(std::pmr::memory_resource* memory) : near(memory), far(memory) {}

  Ranks near;  // with the root
  Ranks far;
};

Halves halvesOf(const Ranks& ranks, const Sides& is_far) {
  Halves halves(ranks.get_allocator().resource());
  halves.near.reserve(ranks.size());
  halves.far.reserve(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) (is_far[i] != 0 ? halves.far : halves.near).push_back(ranks[i]);
  return halves;
}

// Exchanges pairs as Kernighan and Lin do, until no sequence of exchanges makes the cut lighter. Both of a pair are the
// best of their half by themselves, as Fiduccia and Mattheyses (1982) take them: a pass is quadratic.
class Bisection {
 public:
  Bisection(const Weights& weights, const Ranks& ranks, std::int32_t root)
      : weights_(weights),
        ranks_(ranks),
        is_far_(ranks.size(), 0, weights.memory()),
        is_fixed_(weights.memory()),
        gains_(ranks.size(), weights.memory()),
        exchanges_(weights.memory()) {
    exchanges_.reserve(ranks.size() / 2 + 1);
    std::fill(is_far_.end() - static_cast<std::ptrdiff_t>(ranks.size() / 2), is_far_.end(), 1);
    while (improve()) {
    }
    const auto place = std::find(ranks.begin(), ranks.end(), root) - ranks.begin();
    if (is_far_[static_cast<std::size_t>(place)] == 0) return;
    for (std::int8_t& side : is_far_) side ^= 1;
  }

  Halves halves() const { return halvesOf(ranks_, is_far_); }

 private:
  // Returns the weight of two for each other, which is negative where both are in the same half. None has one for
  // itself.
  std::int64_t cutWeight(std::size_t i, std::size_t j) const {
    const std::int64_t weight = weights_(ranks_[i], ranks_[j]);
    return is_far_[i] != is_far_[j] ? weight : -weight;
  }
  // Returns by how much the cut becomes lighter when one changes sides alone.
  std::int64_t gainOf(std::size_t i) const {
    std::int64_t gain = 0;
    for (std::size_t j = 0; j < ranks_.size(); ++j) gain += cutWeight(i, j);
    return gain;
  }

  // Returns the one of the half that gains most and has not changed sides in this pass.
  std::optional<std::size_t> bestOf(std::int8_t is_far) const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (is_far_[i] == is_far && is_fixed_[i] == 0 && (!best || gains_[i] > gains_[*best])) best = i;
    }
    return best;
  }

  void changeSides(std::size_t i) {
    is_far_[i] ^= 1;
    gains_[i] = -gains_[i];
    for (std::size_t j = 0; j < ranks_.size(); ++j) gains_[j] += 2 * cutWeight(i, j);
  }

  // Makes one pass; returns false when it gained nothing.
  bool improve() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) gains_[i] = gainOf(i);
    is_fixed_.assign(ranks_.size(), 0);
    exchanges_.clear();
    std::int64_t sum = 0;
    std::int64_t most = 0;
    std::size_t kept = 0;
    while (const std::optional<std::size_t> near = bestOf(0)) {
      sum += gains_[*near];
      is_fixed_[*near] = 1;
      changeSides(*near);
      const std::optional<std::size_t> far = bestOf(1);
      if (!far) {
        changeSides(*near);
        break;
      }
      sum += gains_[*far];
      is_fixed_[*far] = 1;
      changeSides(*far);
      exchanges_.emplace_back(*near, *far);
      if (sum > most) {
        most = sum;
        kept = exchanges_.size();
      }
    }
    for (; exchanges_.size() > kept; exchanges_.pop_back()) {
      changeSides(exchanges_.back().first);
      changeSides(exchanges_.back().second);
    }
    return kept > 0;
  }

  const Weights& weights_;
  const Ranks& ranks_;
  Sides is_far_;
  Sides is_fixed_;
  std::pmr::vector<std::int64_t> gains_;
  std::pmr::vector<std::pair<std::size_t, std::size_t>> exchanges_;  // of a pass
};

// Finds the heaviest of all balanced trees below a root over links that exist.
class Search {
 public:
  explicit Search(const Weights& weights) : weights_(weights), known_(weights.memory()) {}

  struct Found {
    explicit Found(std::pmr::memory_resource* memory) : links(memory) {}

    std::int64_t weight = -1;  // below 0: there is none
    TreeLinks links;           // a root's links in the order of the cuts
  };

  const Found& best(const Ranks& ranks, std::int32_t root) {
    const auto known = known_.find(Key(ranks, root));
    if (known != known_.end()) return known->second;
    Found found(weights_.memory());
    if (ranks.size() == 1) {
      found.weight = 0;
    } else {
      tryCuts(ranks, ranks.size() / 2, root, found);
      if (ranks.size() % 2 == 1) tryCuts(ranks, ranks.size() / 2 + 1, root, found);
    }
    return known_.emplace(Key(Ranks(ranks, weights_.memory()), root), std::move(found)).first->second;
  }

 private:
  // Tries all halves of which the far one has this size.
  void tryCuts(const Ranks& ranks, std::size_t far_size, std::int32_t root, Found& found) {
    Sides is_far(ranks.size(), 0, weights_.memory());
    std::fill(is_far.end() - static_cast<std::ptrdiff_t>(far_size), is_far.end(), 1);
    do {
      tryCut(ranks, is_far, root, found);
    } while (std::next_permutation(is_far.begin(), is_far.end()));
  }

  void tryCut(const Ranks& ranks, const Sides& is_far, std::int32_t root, Found& found) {
    const Halves halves = halvesOf(ranks, is_far);
    if (std::find(halves.far.begin(), halves.far.end(), root) != halves.far.end()) return;
    const Found& near = best(halves.near, root);  // entries of a map stay where they are
    if (near.weight < 0) return;
    for (const std::int32_t child : halves.far) {
      if (weights_(root, child) == 0) continue;
      const Found& far = best(halves.far, child);
      const std::int64_t weight = near.weight + far.weight + weights_(root, child);
      if (far.weight < 0 || weight <= found.weight) continue;
      found.weight = weight;
      found.links.assign({{root, child}});
      found.links.insert(found.links.end(), near.links.begin(), near.links.end());
      found.links.insert(found.links.end(), far.links.begin(), far.links.end());
    }
  }

  using Key = std::pair<Ranks, std::int32_t>;

  const Weights& weights_;
  std::pmr::map<Key, Found> known_;
};

// Appends the links of a tree of these ranks, a root's links in the order of the cuts.
void grow(const Weights& weights, const Ranks& ranks, std::int32_t root, TreeLinks& links) {
  if (ranks.size() < 2) return;
  const Halves halves = Bisection(weights, ranks, root).halves();
  const std::int32_t child =
      *std::max_element(halves.far.begin(), halves.far.end(),
                        [&](std::int32_t a, std::int32_t b) { return weights(root, a) < weights(root, b); });
  if (weights(root, child) == 0 && ranks.size() <= kMaxSearchedRanks) {
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

std::pmr::vector<std::int64_t> initialWeights(const Topology* topology, std::int32_t ranks,
                                              std::span<const std::int32_t> table, std::pmr::memory_resource* memory) {
  const bool has_links = topology != nullptr && !topology->links.empty();
  const bool has_nodes = topology != nullptr && !topology->nodes.empty();
  const auto width = static_cast<std::size_t>(ranks);
  const auto rank_at = [&](std::size_t place) {
    return table.empty() ? place : static_cast<std::size_t>(table[place]);
  };
  std::pmr::vector<std::int64_t> weights(memory);
  weights.reserve(width * width);
  for (std::size_t a = 0; a < width; ++a) {
    for (std::size_t b = 0; b < width; ++b) {
      const bool is_near = has_nodes && topology->nodes[rank_at(a)] == topology->nodes[rank_at(b)];
      const std::int64_t by_node = is_near ? kWithinNode : kBetweenNodes;
      const std::int64_t weight = has_links ? topology->links[rank_at(a) * width + rank_at(b)] : by_node;
      weights.push_back(a == b ? 0 : kScale * weight);
    }
  }
  return weights;
}

}  // namespace

std::pmr::vector<TreeLinks> topologyTrees(const Topology* topology, std::int32_t ranks, std::int32_t trees,
                                          std::span<const std::int32_t> table, std::pmr::memory_resource* memory) {
  std::pmr::vector<std::int64_t> numbers = initialWeights(topology, ranks, table, memory);
  Weights weights(numbers, ranks);
  Ranks all(static_cast<std::size_t>(ranks), memory);
  std::iota(all.begin(), all.end(), 0);
  std::pmr::vector<TreeLinks> made(memory);
  made.reserve(static_cast<std::size_t>(trees));
  for (std::int32_t tree = 0; tree < trees; ++tree) {
    TreeLinks& links = made.emplace_back();
    links.reserve(all.size() - 1);
    grow(weights, all, ranks - 1 - tree, links);
    for (const TreeLink& link : links) weights.penalise(link);
  }
  return made;
}

TreePlace placeIn(const TreeLinks& tree, std::int32_t rank, std::span<const std::int32_t> table,
                  std::pmr::memory_resource* memory) {
  const auto place_of = [table](std::int32_t moved) {
    return table.empty() ? moved : static_cast<std::int32_t>(std::ranges::find(table, moved) - table.begin());
  };
  const std::int32_t self = table.empty() ? rank : table[static_cast<std::size_t>(rank)];
  TreePlace place{.children = std::pmr::vector<TreeChild>(memory)};
  // The smallest part is combined first, because it has the shortest way.
  for (auto link = tree.rbegin(); link != tree.rend(); ++link) {
    if (link->child == self) place.parent = place_of(link->parent);
    if (link->parent == self) place.children.push_back({place_of(link->child), OperandOrder::kIncomingRight});
  }
  return place;
}

}  // namespace starling
