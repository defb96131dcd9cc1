#include "node/node_chunks.h"

#include <algorithm>
#include <cstring>

#include "node/node_elements.h"

namespace starling {

NodeChunks::NodeChunks(std::byte* memory, const NodeLayout& layout, std::int32_t rank, NodeWait& wait)
    : memory_(memory),
      layout_(layout),
      rank_(rank),
      wait_(wait),
      tree_(AssociationTree::ofRanks(layout.ranks())),
      operands_(static_cast<std::size_t>(tree_.leaves()) + tree_.nodes().size()) {
  owners_.reserve(static_cast<std::size_t>(layout.ranks()));
}

// A vector of one chunk is all in the buffers when the late ranks come: there is nothing that a pass could do before.
void NodeChunks::allreduce(const NodeCall& call) {
  begin(call);
  const bool are_some_late = chooseOwners(call.late);
  if (!are_some_late || !call.may_reorder || call.count <= chunk_elements_) {
    run(call, {Contributors::kAll});
  } else {
    run(call, {Contributors::kInTime, false});
    run(call, {Contributors::kLate});
  }
}

void NodeChunks::begin(const NodeCall& call) {
  const std::int64_t element_bytes = call.combiner.element_bytes;
  line_elements_ = elementsOfLine(call.combiner);
  const std::int64_t chunk_bytes = std::min(call.chunk_bytes, NodeLayout::kMostChunkBytes);
  chunk_elements_ = std::max<std::int64_t>(chunk_bytes / element_bytes / line_elements_, 1) * line_elements_;
  count_ = call.count;
  chunks_before_ = chunks_;
}

// Where all are late nobody is.
bool NodeChunks::chooseOwners(std::span<const std::int32_t> late) {
  owners_.clear();
  owner_.reset();
  shares_ = {};
  const bool are_all = late.size() >= static_cast<std::size_t>(layout_.ranks());
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    if (!are_all && std::ranges::binary_search(late, rank)) continue;
    if (rank == rank_) owner_ = owners_.size();
    owners_.push_back(rank);
  }
  return std::ssize(owners_) < layout_.ranks();
}

NodeChunks::Part NodeChunks::partOf(const Chunk& chunk, std::size_t owner) const {
  const auto index = static_cast<std::int64_t>(owner);
  if (!shares_.empty()) {
    const std::int64_t element = shares_[owner].begin + chunk.index * part_elements_;
    return {element, index * part_elements_, std::min(part_elements_, shares_[owner].end - element)};
  }
  const std::int64_t first = chunk.index * chunk_elements_;
  const std::int64_t size = std::min(chunk_elements_, count_ - first);
  const std::int64_t lines = (size + line_elements_ - 1) / line_elements_;
  const auto owners = static_cast<std::int64_t>(owners_.size());
  const auto begin_of = [&](std::int64_t place) { return std::min(place * lines / owners * line_elements_, size); };
  return {first + begin_of(index), begin_of(index), begin_of(index + 1) - begin_of(index)};
}

// Ranks that have no part in a pass count its chunks.
void NodeChunks::run(const NodeCall& call, const Pass& pass) {
  const std::int64_t chunks = (count_ + chunk_elements_ - 1) / chunk_elements_;
  const auto at = [&](std::int64_t index) { return Chunk{chunks_ + static_cast<std::uint64_t>(index) + 1, index}; };
  if (pass.hands_out || pass.contributors == Contributors::kAll || contributes(call, pass, rank_)) {
    copyIn(call, pass, at(0));
    if (chunks > 1) copyIn(call, pass, at(1));
    for (std::int64_t i = 0; i <= chunks; ++i) {
      if (i < chunks) combine(call, pass, at(i));
      if (i > 0 && pass.hands_out) copyOut(call, at(i - 1));
      if (i + 2 < chunks) copyIn(call, pass, at(i + 2));
    }
  }
  chunks_ += static_cast<std::uint64_t>(chunks);
}

bool NodeChunks::contributes(const NodeCall& call, const Pass& pass, std::int32_t rank) {
  switch (pass.contributors) {
    case Contributors::kAll:
      return true;
    case Contributors::kInTime:
      return !std::ranges::binary_search(call.late, rank);
    case Contributors::kLate:
      return std::ranges::binary_search(call.late, rank);
  }
  return false;
}

// What was handed out in this pass has been waited for.
void NodeChunks::copyIn(const NodeCall& call, const Pass& pass, const Chunk& chunk) {
  if (!pass.hands_out || chunk.index < static_cast<std::int64_t>(NodeLayout::kSets)) {
    wait_.untilTrue([&] { return isBufferFree(chunk); });
  }
  if (contributes(call, pass, rank_)) copyParts(call, chunk);
  wait_.raise(layout_.copiedIn(memory_, rank_).value, chunk.number);
}

bool NodeChunks::isBufferFree(const Chunk& chunk) const {
  if (chunk.number <= chunks_before_ + NodeLayout::kSets) return true;
  return std::ranges::all_of(owners_, [&](std::int32_t owner) {
    const std::uint64_t combined = layout_.combined(memory_, owner).value.load(std::memory_order_acquire);
    return combined >= chunk.number - NodeLayout::kSets;
  });
}

// Parts that follow each other are copied at once.
void NodeChunks::copyParts(const NodeCall& call, const Chunk& chunk) {
  std::byte* const buffer = layout_.contribution(memory_, rank_, chunk.number);
  Part stretch;
  const auto copy_stretch = [&] {
    if (stretch.isEmpty()) return;
    copyElements(elementAt(call.send, stretch.element, call.combiner), elementAt(buffer, stretch.place, call.combiner),
                 stretch.size, call.combiner);
  };
  for (std::size_t owner = 0; owner < owners_.size(); ++owner) {
    const Part part = partOf(chunk, owner);
    if (owner == owner_ || part.isEmpty()) continue;
    if (part.element == stretch.element + stretch.size && part.place == stretch.place + stretch.size) {
      stretch.size += part.size;
      continue;
    }
    copy_stretch();
    stretch = part;
  }
  copy_stretch();
}

std::byte* NodeChunks::contributionTo(const NodeCall& call, const Chunk& chunk, std::int32_t rank,
                                      const Part& part) const {
  return elementAt(layout_.contribution(memory_, rank, chunk.number), part.place, call.combiner);
}

void NodeChunks::combine(const NodeCall& call, const Pass& pass, const Chunk& chunk) {
  if (!owner_) return;
  const Part part = partOf(chunk, *owner_);
  if (!part.isEmpty()) {
    std::byte* const own = elementAt(call.receive, part.element, call.combiner);
    std::byte* const out =
        pass.hands_out ? elementAt(layout_.result(memory_, chunk.number), part.place, call.combiner) : own;
    if (pass.contributors == Contributors::kAll) {
      combineAll(call, chunk, part, out);
    } else {
      combineInTurn(call, pass, chunk, part, out);
    }
    wait_.raise(layout_.combined(memory_, rank_).value, chunk.number);
    if (pass.hands_out) copyResult(out, own, part.size, call.combiner, call.past_caches);
  } else {
    wait_.raise(layout_.combined(memory_, rank_).value, chunk.number);
  }
}

void NodeChunks::combineAll(const NodeCall& call, const Chunk& chunk, const Part& part, std::byte* out) {
  std::ranges::fill(operands_, nullptr);
  static_cast<void>(areAllInSoon(chunk.number));
  while (!combineWhatIsIn(call, chunk, part, out)) {
    wait_.untilTrue([&] { return countIn(chunk.number) > found_; });
  }
}

// The owner's own contribution, or what it has of the pass before, comes first. What is handed out goes where others
// may still be reading, until all have copied in.
void NodeChunks::combineInTurn(const NodeCall& call, const Pass& pass, const Chunk& chunk, const Part& part,
                               std::byte* out) {
  std::byte* const own = elementAt(call.receive, part.element, call.combiner);
  const bool is_first = pass.contributors == Contributors::kInTime;
  const std::byte* sum = is_first ? elementAt(call.send, part.element, call.combiner) : own;
  const std::byte* next = nullptr;  // to be added
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    if (rank == rank_ || !contributes(call, pass, rank)) continue;
    if (next != nullptr) {
      call.combiner(sum, next, own, part.size);
      sum = own;
    }
    wait_.until(layout_.copiedIn(memory_, rank).value, chunk.number);
    next = contributionTo(call, chunk, rank, part);
  }
  if (pass.hands_out) {
    wait_.untilTrue([&] { return countIn(chunk.number) == layout_.ranks(); });
  }
  if (next != nullptr) {
    call.combiner(sum, next, out, part.size);
  } else if (sum != out) {
    copyElements(sum, out, part.size, call.combiner);
  }
}

bool NodeChunks::areAllInSoon(std::uint64_t chunk) const {
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    if (!NodeWait::briefly(layout_.copiedIn(memory_, rank).value, chunk)) return false;
  }
  return true;
}

// Finds the contributions that are there, and returns how many these are.
std::int32_t NodeChunks::findContributions(const NodeCall& call, const Chunk& chunk, const Part& part) {
  std::int32_t found = 0;
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    if (layout_.copiedIn(memory_, rank).value.load(std::memory_order_acquire) < chunk.number) continue;
    ++found;
    operands_[static_cast<std::size_t>(rank)] =
        rank == rank_ ? elementAt(call.send, part.element, call.combiner) : contributionTo(call, chunk, rank, part);
  }
  return found;
}

// Returns whether that was all. Results of a part of the tree are put where the first of its contributions was, which
// nobody else reads.
bool NodeChunks::combineWhatIsIn(const NodeCall& call, const Chunk& chunk, const Part& part, std::byte* out) {
  found_ = findContributions(call, chunk, part);
  if (found_ == layout_.ranks()) {
    tree_.evaluate(call.combiner, operands_, out, part.size);
    return true;
  }
  const auto leaves = static_cast<std::size_t>(tree_.leaves());
  const std::span<const AssociationTree::Node> nodes = tree_.nodes();
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const std::byte* const left = operands_[static_cast<std::size_t>(nodes[i].left)];
    const std::byte* const right = operands_[static_cast<std::size_t>(nodes[i].right)];
    if (operands_[leaves + i] != nullptr || left == nullptr || right == nullptr) continue;
    std::byte* const result = contributionTo(call, chunk, nodes[i].first_leaf, part);
    call.combiner(left, right, result, part.size);
    operands_[leaves + i] = result;
  }
  return false;
}

std::int32_t NodeChunks::countIn(std::uint64_t chunk) const {
  std::int32_t count = 0;
  for (std::int32_t rank = 0; rank < layout_.ranks(); ++rank) {
    if (layout_.copiedIn(memory_, rank).value.load(std::memory_order_acquire) >= chunk) ++count;
  }
  return count;
}

bool NodeChunks::isCombined(const Chunk& chunk) const {
  return std::ranges::all_of(owners_, [&](std::int32_t owner) {
    return layout_.combined(memory_, owner).value.load(std::memory_order_acquire) >= chunk.number;
  });
}

// Each rank begins after itself, so that not all read the same part at once.
void NodeChunks::copyOut(const NodeCall& call, const Chunk& chunk) {
  const std::size_t owners = owners_.size();
  const std::size_t first = owner_ ? *owner_ + 1 : static_cast<std::size_t>(rank_);
  for (std::size_t i = 0; i < owners; ++i) {
    const std::size_t owner = (first + i) % owners;
    const Part part = partOf(chunk, owner);
    if (owner == owner_ || part.isEmpty()) continue;
    wait_.until(layout_.combined(memory_, owners_[owner]).value, chunk.number);
    copyResult(elementAt(layout_.result(memory_, chunk.number), part.place, call.combiner),
               elementAt(call.receive, part.element, call.combiner), part.size, call.combiner, call.past_caches);
  }
}

}  // namespace starling
