#include "node/node_allreduce.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace starling {
namespace {

constexpr std::int64_t kLineBytes = 64;

const std::byte* at(const void* vector, std::int64_t element, const Combiner& combiner) {
  return static_cast<const std::byte*>(vector) + element * combiner.element_bytes;
}

std::byte* at(void* vector, std::int64_t element, const Combiner& combiner) {
  return static_cast<std::byte*>(vector) + element * combiner.element_bytes;
}

void copy(const std::byte* from, std::byte* to, std::int64_t elements, const Combiner& combiner) {
  if (combiner.has_gaps) return combiner(from, from, to, elements);
  std::memcpy(to, from, static_cast<std::size_t>(elements * combiner.element_bytes));
}

}  // namespace

NodeAllreduce::NodeAllreduce(std::byte* memory, const NodeLayout& layout, std::int32_t rank,
                             const NodeWait::Settings& settings)
    : memory_(memory),
      layout_(layout),
      rank_(rank),
      wait_(layout.sleepers(memory), settings),
      tree_(AssociationTree::ofRanks(layout.ranks())),
      operands_(static_cast<std::size_t>(tree_.leaves()) + tree_.nodes().size()) {
  owners_.reserve(static_cast<std::size_t>(layout.ranks()));
  addGroups();
}

// A group has the places of the tree that follow each other, so that its result is one of the tree's; the first of its
// ranks combines it. A single group every rank combines for itself.
void NodeAllreduce::addGroups() {
  std::vector<std::int32_t> widths = AssociationTree::widthsOf(layout_.ranks());
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(layout_.ranks()));
  std::iota(ranks.begin(), ranks.end(), 0);
  for (bool is_last = false; !is_last;) {
    is_last = widths.size() <= NodeLayout::kGroup;
    std::vector<std::int32_t> leaders;
    auto rank = ranks.begin();
    for (std::size_t place = 0; place < widths.size(); place += NodeLayout::kGroup) {
      const auto places = std::span(widths).subspan(place, std::min<std::size_t>(NodeLayout::kGroup, widths.size()));
      const auto end = rank + std::accumulate(places.begin(), places.end(), 0);
      if (*rank == rank_ || layout_.levels() == 1) groups_.push_back({AssociationTree(places), {rank, end}});
      leaders.push_back(*rank);
      rank = end;
    }
    widths.assign(leaders.size(), 1);
    ranks = std::move(leaders);
  }
}

void NodeAllreduce::run(const NodeCall& call) {
  if (call.in_slots && call.count * call.combiner.element_bytes <= NodeSlot::kBytes) {
    runInSlots(call);
  } else {
    runInChunks(call);
  }
}

void NodeAllreduce::runInSlots(const NodeCall& call) {
  ++calls_in_slots_;
  copyIntoSlot(call);
  if (layout_.levels() == 1) return combineSlots(call, 0, static_cast<std::byte*>(call.receive));
  combineLevels(call);
  const std::byte* const result = await(0, layout_.levels());
  copy(result, static_cast<std::byte*>(call.receive), call.count, call.combiner);
}

void NodeAllreduce::copyIntoSlot(const NodeCall& call) {
  NodeSlot& slot = layout_.slot(memory_, rank_, 0, calls_in_slots_);
  copy(static_cast<const std::byte*>(call.send), slot.data, call.count, call.combiner);
  wait_.raise(slot.call, calls_in_slots_);
}

void NodeAllreduce::combineLevels(const NodeCall& call) {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const auto level = static_cast<std::int32_t>(i);
    NodeSlot& slot = layout_.slot(memory_, rank_, level + 1, calls_in_slots_);
    combineSlots(call, level, slot.data);
    wait_.raise(slot.call, calls_in_slots_);
  }
}

void NodeAllreduce::combineSlots(const NodeCall& call, std::int32_t level, std::byte* out) {
  Group& group = groups_[static_cast<std::size_t>(level)];
  const auto operands = std::span(operands_).first(group.ranks.size() + group.tree.nodes().size());
  std::fill(operands.begin(), operands.end(), nullptr);
  for (std::size_t i = 0; i < group.ranks.size(); ++i) operands[i] = await(group.ranks[i], level);
  group.tree.evaluate(call.combiner, operands, out, call.count);
}

const std::byte* NodeAllreduce::await(std::int32_t rank, std::int32_t level) {
  const NodeSlot& slot = layout_.slot(memory_, rank, level, calls_in_slots_);
  wait_.until(slot.call, calls_in_slots_);
  return slot.data;
}

void NodeAllreduce::runInChunks(const NodeCall& call) {
  chooseOwners(call.late);
  const std::int64_t element_bytes = call.combiner.element_bytes;
  line_elements_ = std::max<std::int64_t>(kLineBytes / element_bytes, 1);
  const std::int64_t chunk_bytes = std::min(call.chunk_bytes, NodeLayout::kMostChunkBytes);
  chunk_elements_ = std::max<std::int64_t>(chunk_bytes / element_bytes / line_elements_, 1) * line_elements_;
  const std::int64_t chunks = (call.count + chunk_elements_ - 1) / chunk_elements_;
  copyIn(call, chunkAt(call, 0));
  if (chunks > 1) copyIn(call, chunkAt(call, 1));
  for (std::int64_t i = 0; i <= chunks; ++i) {
    if (i < chunks) combine(call, chunkAt(call, i));
    if (i > 0) copyOut(call, chunkAt(call, i - 1));
    if (i + 2 < chunks) copyIn(call, chunkAt(call, i + 2));
  }
  chunks_ += static_cast<std::uint64_t>(chunks);
}

// Where all are late nobody is.
void NodeAllreduce::chooseOwners(std::span<const std::int32_t> late) {
  owners_.clear();
  owner_.reset();
  const bool are_all = late.size() >= static_cast<std::size_t>(layout_.ranks());
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    if (!are_all && std::binary_search(late.begin(), late.end(), rank)) continue;
    if (rank == rank_) owner_ = owners_.size();
    owners_.push_back(rank);
  }
}

NodeAllreduce::Chunk NodeAllreduce::chunkAt(const NodeCall& call, std::int64_t index) const {
  const std::int64_t begin = index * chunk_elements_;
  return {chunks_ + static_cast<std::uint64_t>(index) + 1, {begin, std::min(begin + chunk_elements_, call.count)}};
}

NodeAllreduce::Range NodeAllreduce::partOf(const Chunk& chunk, std::size_t owner) const {
  const std::int64_t size = chunk.elements.size();
  const std::int64_t lines = (size + line_elements_ - 1) / line_elements_;
  const auto owners = static_cast<std::int64_t>(owners_.size());
  const auto begin_of = [&](std::int64_t index) { return std::min(index * lines / owners * line_elements_, size); };
  const auto index = static_cast<std::int64_t>(owner);
  return {begin_of(index), begin_of(index + 1)};
}

void NodeAllreduce::copyIn(const NodeCall& call, const Chunk& chunk) {
  const Range own = owner_ ? partOf(chunk, *owner_) : Range{};
  std::byte* const buffer = layout_.contribution(memory_, rank_, chunk.number);
  for (const Range& range : {Range{0, own.begin}, Range{own.end, chunk.elements.size()}}) {
    if (range.isEmpty()) continue;
    copy(at(call.send, chunk.elements.begin + range.begin, call.combiner), at(buffer, range.begin, call.combiner),
         range.size(), call.combiner);
  }
  wait_.raise(layout_.copiedIn(memory_, rank_).value, chunk.number);
}

std::byte* NodeAllreduce::contributionTo(const NodeCall& call, const Chunk& chunk, std::int32_t rank,
                                         const Range& part) const {
  return at(layout_.contribution(memory_, rank, chunk.number), part.begin, call.combiner);
}

void NodeAllreduce::combine(const NodeCall& call, const Chunk& chunk) {
  const Range part = owner_ ? partOf(chunk, *owner_) : Range{};
  if (part.isEmpty()) return;
  std::fill(operands_.begin(), operands_.end(), nullptr);
  if (!areAllInSoon(chunk.number)) combineWhileWaiting(call, chunk, part);
  findContributions(call, chunk, part);
  std::byte* const result = at(layout_.result(memory_, chunk.number), part.begin, call.combiner);
  tree_.evaluate(call.combiner, operands_, result, part.size());
  wait_.raise(layout_.combined(memory_, rank_).value, chunk.number);
  copy(result, at(call.receive, chunk.elements.begin + part.begin, call.combiner), part.size(), call.combiner);
}

bool NodeAllreduce::areAllInSoon(std::uint64_t chunk) const {
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    if (!NodeWait::briefly(layout_.copiedIn(memory_, rank).value, chunk)) return false;
  }
  return true;
}

// Finds the contributions that are there, and returns how many these are.
std::int32_t NodeAllreduce::findContributions(const NodeCall& call, const Chunk& chunk, const Range& part) {
  std::int32_t found = 0;
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    if (layout_.copiedIn(memory_, rank).value.load(std::memory_order_acquire) < chunk.number) continue;
    ++found;
    operands_[static_cast<std::size_t>(rank)] = rank == rank_
                                                    ? at(call.send, chunk.elements.begin + part.begin, call.combiner)
                                                    : contributionTo(call, chunk, rank, part);
  }
  return found;
}

// Results of a part of the tree are put where the first of its contributions was, which nobody else reads.
void NodeAllreduce::combineWhileWaiting(const NodeCall& call, const Chunk& chunk, const Range& part) {
  const auto leaves = static_cast<std::size_t>(tree_.leaves());
  const std::span<const AssociationTree::Node> nodes = tree_.nodes();
  for (;;) {
    const std::int32_t found = findContributions(call, chunk, part);
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
      const std::byte* const left = operands_[static_cast<std::size_t>(nodes[i].left)];
      const std::byte* const right = operands_[static_cast<std::size_t>(nodes[i].right)];
      if (operands_[leaves + i] != nullptr || left == nullptr || right == nullptr) continue;
      std::byte* const result = contributionTo(call, chunk, nodes[i].first_leaf, part);
      call.combiner(left, right, result, part.size());
      operands_[leaves + i] = result;
    }
    if (found == layout_.ranks()) return;
    wait_.untilTrue([&] { return countIn(chunk.number) > found; });
  }
}

std::int32_t NodeAllreduce::countIn(std::uint64_t chunk) const {
  std::int32_t count = 0;
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    if (layout_.copiedIn(memory_, rank).value.load(std::memory_order_acquire) >= chunk) ++count;
  }
  return count;
}

// Each rank begins after itself, so that not all read the same part at once.
void NodeAllreduce::copyOut(const NodeCall& call, const Chunk& chunk) {
  const std::size_t owners = owners_.size();
  const std::size_t first = owner_ ? *owner_ + 1 : static_cast<std::size_t>(rank_);
  for (std::size_t i = 0; i < owners; ++i) {
    const std::size_t owner = (first + i) % owners;
    const Range part = partOf(chunk, owner);
    if (owner == owner_ || part.isEmpty()) continue;
    wait_.until(layout_.combined(memory_, owners_[owner]).value, chunk.number);
    copy(at(layout_.result(memory_, chunk.number), part.begin, call.combiner),
         at(call.receive, chunk.elements.begin + part.begin, call.combiner), part.size(), call.combiner);
  }
}

}  // namespace starling
