#include "algos/ownership.h"

#include <algorithm>
#include <numeric>

#include "algos/partition.h"

namespace starling {
namespace {

// A rank with this part of N more to send after the last arrival than the first ones sends it in parts.
constexpr std::int64_t kLateBacklog = 8;  // an eighth
// With more than two fifths of the ranks among the last, the owners would have too much to send.
constexpr std::int64_t kMostLateNumerator = 2;
constexpr std::int64_t kMostLateDenominator = 5;
// Parts mean many messages: not for less than this part of the time.
constexpr std::int64_t kLeastGain = 10;
// Ranks that come within this part of N before the last come with it.
constexpr std::int64_t kTogether = 8;

std::vector<std::int64_t> backlogsOf(std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                                     std::int64_t vector_ns) {
  if (lateness_ns.empty() || vector_ns == 0) return std::vector<std::int64_t>(ranks, vector_ns);
  const std::int64_t latest = *std::max_element(lateness_ns.begin(), lateness_ns.end());
  std::vector<std::int64_t> backlogs;
  for (const std::int64_t lateness : lateness_ns) {
    backlogs.push_back(std::max<std::int64_t>(0, vector_ns - (latest - lateness)));
  }
  return backlogs;
}

}  // namespace

Ownership::Ownership(std::int32_t ranks, std::int64_t count, std::int64_t parts,
                     std::span<const std::int64_t> lateness_ns, std::int64_t vector_ns)
    : ranks_(ranks), by_backlog_(ranks), contributions_(ranks, Contribution::kWhole) {
  const std::vector<std::int64_t> backlogs = backlogsOf(ranks, lateness_ns, vector_ns);
  std::iota(by_backlog_.begin(), by_backlog_.end(), 0);
  std::stable_sort(by_backlog_.begin(), by_backlog_.end(),
                   [&](std::int32_t a, std::int32_t b) { return backlogs[a] < backlogs[b]; });
  if (chooseOwners(backlogs, vector_ns, std::clamp<std::int64_t>(count / ranks, 1, parts))) {
    chooseContributions(backlogs, vector_ns);
  } else {
    owners_.assign(1, ranks);
  }
  cut(count);
}

// False: it would not be faster than equal blocks for everybody.
bool Ownership::chooseOwners(std::span<const std::int64_t> backlogs, std::int64_t vector_time, std::int64_t parts) {
  const auto together = [&](std::int32_t rank) { return kTogether * (vector_time - backlogs[rank]) <= vector_time; };
  const std::int64_t last = std::count_if(by_backlog_.begin(), by_backlog_.end(), together);
  if (kMostLateNumerator * ranks_ < kMostLateDenominator * last) return false;
  const std::int64_t most = backlogs[by_backlog_.back()];
  const std::int64_t fewest_owners = (ranks_ + 1) / 2;
  std::int64_t owners = fewest_owners;
  std::int64_t time = 0;  // since the last arrival
  for (std::int64_t part = 0; part < parts; ++part) {
    // The part's last contributions have come, and its owners are free.
    time = std::max({time, most * (part + 1) / parts, backlogs[by_backlog_[fewest_owners - 1]]});
    while (owners < ranks_ - last && backlogs[by_backlog_[owners]] <= time) ++owners;
    owners_.push_back(static_cast<std::int32_t>(owners));
    time += (ranks_ - 1) * (vector_time / parts) / owners;
  }
  const std::int64_t whole_time = most + (ranks_ - 1) * (vector_time / ranks_);
  const bool is_faster = kLeastGain * (whole_time - time) > whole_time;
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
  const std::int64_t parts = std::ssize(owners_);
  parts_of_blocks_.resize(ranks_ * owners_.size());
  for (std::int64_t part = 0; part < parts; ++part) {
    const Block whole = starling::partOf({0, count}, parts, part);
    for (std::int32_t i = 0; i < owners_[part]; ++i) {
      parts_of_blocks_[by_backlog_[i] * parts + part].count = starling::partOf(whole, owners_[part], i).count;
    }
  }
  std::int64_t begin = 0;
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    Block& block = blocks_.emplace_back(Block{begin, 0});
    for (std::int64_t part = 0; part < parts; ++part) {
      Block& own = parts_of_blocks_[rank * parts + part];
      own.offset = block.offset + block.count;
      block.count += own.count;
    }
    begin += block.count;
  }
}

}  // namespace starling
