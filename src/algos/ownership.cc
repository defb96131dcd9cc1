#include "algos/ownership.h"

#include <algorithm>
#include <numeric>

#include "schedule/partition.h"

namespace starling {
namespace {

// A rank sends its contributions in segments when, after the last arrival, it has more left to send than the first
// ranks by more than this share of N.
constexpr std::int64_t kLateBacklog = 8;  // an eighth
// With more than two fifths of the ranks among the last, the owners would have too much to send.
constexpr std::int64_t kMaxLateNumerator = 2;
constexpr std::int64_t kMaxLateDenominator = 5;
// Parts mean many messages, so they have to gain at least this share of the time.
constexpr std::int64_t kMinGain = 10;
// Ranks that come within this share of N before the last count as coming with it.
constexpr std::int64_t kTogether = 8;

std::pmr::vector<std::int64_t> backlogsOf(std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                                          std::int64_t vector_ns, std::pmr::memory_resource* memory) {
  std::pmr::vector<std::int64_t> backlogs(static_cast<std::size_t>(ranks), vector_ns, memory);
  if (lateness_ns.empty() || vector_ns == 0) return backlogs;
  const std::int64_t latest = *std::max_element(lateness_ns.begin(), lateness_ns.end());
  for (std::size_t rank = 0; rank < backlogs.size(); ++rank) {
    backlogs[rank] = std::max<std::int64_t>(0, vector_ns - (latest - lateness_ns[rank]));
  }
  return backlogs;
}

}  // namespace

Ownership::Ownership(std::int32_t ranks, std::int64_t count, std::int64_t segments,
                     std::span<const std::int64_t> lateness_ns, std::int64_t vector_ns,
                     std::pmr::memory_resource* memory)
    : ranks_(ranks),
      by_backlog_(static_cast<std::size_t>(ranks), memory),
      owners_(memory),
      contributions_(static_cast<std::size_t>(ranks), Contribution::kWhole, memory),
      blocks_(memory),
      segments_of_blocks_(memory) {
  const std::pmr::vector<std::int64_t> backlogs = backlogsOf(ranks, lateness_ns, vector_ns, memory);
  owners_.reserve(static_cast<std::size_t>(maxSegments(ranks, count, segments)));
  std::iota(by_backlog_.begin(), by_backlog_.end(), 0);
  // std::stable_sort works in place where there is no memory for a copy.
  std::stable_sort(by_backlog_.begin(), by_backlog_.end(),
                   [&](std::int32_t a, std::int32_t b) { return backlogs[a] < backlogs[b]; });
  if (chooseOwners(backlogs, vector_ns, maxSegments(ranks, count, segments))) {
    chooseContributions(backlogs, vector_ns);
  } else {
    owners_.assign(1, ranks);
  }
  cut(count);
}

std::int64_t Ownership::maxSegments(std::int32_t ranks, std::int64_t count, std::int64_t segments) {
  return std::clamp<std::int64_t>(count / ranks, 1, segments);
}

std::int64_t Ownership::bytesFor(std::int32_t ranks, std::int64_t segments) {
  const std::int64_t by_rank = sizeof(std::int32_t) + sizeof(std::int64_t) + sizeof(Contribution) + sizeof(Block);
  return ranks * by_rank + segments * std::int64_t{sizeof(std::int32_t)} +
         ranks * segments * std::int64_t{sizeof(Block)};
}

// Returns false when this would not be faster than equal blocks for everybody.
bool Ownership::chooseOwners(std::span<const std::int64_t> backlogs, std::int64_t vector_time, std::int64_t segments) {
  const auto together = [&](std::int32_t rank) { return kTogether * (vector_time - backlogs[rank]) <= vector_time; };
  const std::int64_t last = std::count_if(by_backlog_.begin(), by_backlog_.end(), together);
  if (kMaxLateNumerator * ranks_ < kMaxLateDenominator * last) return false;
  const std::int64_t most = backlogs[by_backlog_.back()];
  const std::int64_t fewest_owners = (ranks_ + 1) / 2;
  std::int64_t owners = fewest_owners;
  std::int64_t time = 0;  // since the last arrival
  for (std::int64_t segment = 0; segment < segments; ++segment) {
    // The segment's last contributions have come, and its owners are free.
    time = std::max({time, most * (segment + 1) / segments, backlogs[by_backlog_[fewest_owners - 1]]});
    while (owners < ranks_ - last && backlogs[by_backlog_[owners]] <= time) ++owners;
    owners_.push_back(static_cast<std::int32_t>(owners));
    time += (ranks_ - 1) * (vector_time / segments) / owners;
  }
  const std::int64_t whole_time = most + (ranks_ - 1) * (vector_time / ranks_);
  const bool is_faster = kMinGain * (whole_time - time) > whole_time;
  if (!is_faster) owners_.clear();
  return is_faster;
}

void Ownership::chooseContributions(std::span<const std::int64_t> backlogs, std::int64_t vector_time) {
  const std::int64_t least = backlogs[by_backlog_.front()];
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    if (kLateBacklog * (backlogs[rank] - least) > vector_time) contributions_[rank] = Contribution::kParts;
    if (kTogether * (vector_time - backlogs[rank]) <= vector_time) contributions_[rank] = Contribution::kLast;
  }
}

void Ownership::cut(std::int64_t count) {
  const std::int64_t segments = std::ssize(owners_);
  segments_of_blocks_.resize(ranks_ * owners_.size());
  for (std::int64_t segment = 0; segment < segments; ++segment) {
    const Block whole = starling::partOf({0, count}, segments, segment);
    for (std::int32_t i = 0; i < owners_[segment]; ++i) {
      segments_of_blocks_[by_backlog_[i] * segments + segment].count =
          starling::partOf(whole, owners_[segment], i).count;
    }
  }
  blocks_.reserve(static_cast<std::size_t>(ranks_));
  std::int64_t begin = 0;
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    Block& block = blocks_.emplace_back(Block{begin, 0});
    for (std::int64_t segment = 0; segment < segments; ++segment) {
      Block& own = segments_of_blocks_[rank * segments + segment];
      own.offset = block.offset + block.count;
      block.count += own.count;
    }
    begin += block.count;
  }
}

}  // namespace starling
