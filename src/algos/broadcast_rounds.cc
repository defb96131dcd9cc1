#include "algos/broadcast_rounds.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace starling {
namespace {

// Finds first blocks. The block that an index receives in round j is the first block of an index between skip(j) and
// skip(j + 1) before it, all of them different. First blocks are read off paths: an index is a sum of different skips,
// largest first, and the smallest of them names the round in which the path, and with it index 0's newest block,
// arrives. The search walks such sums, largest first, and strikes the skips out that it has used.
class FirstBlocks {
 public:
  FirstBlocks(const std::pmr::vector<std::int32_t>& skips, std::int32_t index)
      : skips_(skips),
        rounds_(skips.size() - 1),
        target_(skips.back() + index),
        is_used_(skips.size(), false, skips.get_allocator()),
        found_(skips.get_allocator()) {
    found_.reserve(rounds_);
    const std::size_t own = ownFirstBlock(index);
    is_used_[own] = true;
    explore(0, 2 * skips.back(), rounds_);
    for (std::int32_t& block : found_) {
      // The path that goes round to index 0 stands for the index's own first block; the others are a phase old.
      const auto rounds = static_cast<std::int32_t>(rounds_);
      block = block == rounds ? static_cast<std::int32_t>(own) : block - rounds;
    }
  }

  std::pmr::vector<std::int32_t> take() && { return std::move(found_); }

 private:
  std::size_t ownFirstBlock(std::int32_t index) const {
    std::int32_t reached = 0;
    for (std::size_t e = rounds_; e-- > 0;) {
      if (reached + skips_[e] == index) return e;
      if (reached + skips_[e] < index) reached += skips_[e];
    }
    return rounds_;
  }

  // Follows paths on from `reached` by skips up to `largest`, to indices below `limit`.
  void explore(std::int32_t reached, std::int32_t limit, std::size_t largest) {
    for (std::size_t e = largest + 1; e-- > 0;) {
      if (found_.size() == rounds_) return;
      if (is_used_[e]) continue;
      const std::int32_t next = reached + skips_[e];
      if (next > latest() || next >= limit) continue;
      if (next <= earliest()) explore(next, limit, e);
      if (found_.size() == rounds_ || reached > earliest()) return;
      limit = next;
      found_.push_back(static_cast<std::int32_t>(e));
      is_used_[e] = true;
    }
  }
  // These tell between which indices that of the next round may lie.
  std::int32_t latest() const { return target_ - skips_[found_.size()]; }
  std::int32_t earliest() const { return target_ - skips_[found_.size() + 1]; }

  const std::pmr::vector<std::int32_t>& skips_;
  const std::size_t rounds_;
  const std::int32_t target_;
  std::pmr::vector<bool> is_used_;
  std::pmr::vector<std::int32_t> found_;
};

}  // namespace

BroadcastRounds::BroadcastRounds(std::int32_t indices, std::pmr::memory_resource* memory)
    : indices_(indices), skips_({indices}, memory), received_(memory) {
  while (skips_.front() > 1) skips_.insert(skips_.begin(), (skips_.front() + 1) / 2);
}

const std::pmr::vector<std::int32_t>& BroadcastRounds::receives(std::int32_t index) {
  const auto known = received_.find(index);
  if (known != received_.end()) return known->second;
  return received_.emplace(index, FirstBlocks(skips_, index).take()).first->second;
}

std::pmr::vector<std::int32_t> BroadcastRounds::sends(std::int32_t index) {
  std::pmr::vector<std::int32_t> blocks(skips_.get_allocator());
  for (std::int32_t round = 0; round < roundsPerPhase(); ++round) {
    const auto j = static_cast<std::size_t>(round);
    blocks.push_back(index == 0 ? round : receives((index + skips_[j]) % indices_)[j]);
  }
  return blocks;
}

std::int64_t BroadcastRounds::bytesFor(std::int32_t indices, std::int64_t blocks) {
  const std::int64_t per_phase = std::bit_width(static_cast<std::uint32_t>(indices - 1));
  // For each round of a phase another index is asked for its blocks.
  constexpr std::int64_t kBytesPerSearch = 1024;
  return (blocks + per_phase) * std::int64_t{sizeof(BroadcastRound)} + (per_phase + 4) * kBytesPerSearch;
}

std::pmr::vector<BroadcastRound> BroadcastRounds::roundsOf(std::int32_t index, std::int32_t blocks) {
  const std::pmr::vector<std::int32_t>& received = receives(index);
  const std::pmr::vector<std::int32_t> sent = sends(index);
  const std::int32_t per_phase = roundsPerPhase();
  const std::int32_t last = blocks - 1;
  // So many rounds are left out, so that the last phase begins with the last block.
  const std::int32_t skipped = (per_phase - last % per_phase) % per_phase;
  std::pmr::vector<BroadcastRound> rounds(skips_.get_allocator());
  rounds.reserve(static_cast<std::size_t>(last) + static_cast<std::size_t>(per_phase));
  for (std::int32_t number = skipped; number < skipped + last + per_phase; ++number) {
    const std::int32_t in_phase = number % per_phase;
    const std::int32_t phase = number - in_phase - skipped;
    const auto j = static_cast<std::size_t>(in_phase);
    BroadcastRound& round = rounds.emplace_back();
    round.skip = skips_[j];
    round.target = (index + round.skip) % indices_;
    round.source = (index - round.skip + indices_) % indices_;
    if (round.target != 0) round.sent = std::min(sent[j] + phase, last);
    if (index != 0) round.received = std::min(received[j] + phase, last);
    round.rooted = std::min(in_phase + phase, last);
    round.is_in_last_phase = phase == last;
  }
  return rounds;
}

}  // namespace starling
