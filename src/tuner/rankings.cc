#include "tuner/rankings.h"

#include <algorithm>
#include <bit>

#include "tuner/signature.h"

namespace starling {
namespace {

constexpr int kKeptBits = 5;
// By how much the latest of all comes after the one before it differs much from call to call.
constexpr int kKeptBitsOfGap = 2;
constexpr std::int64_t kSmallGap = 8;  // where it goes so often into the latest's lateness

std::int64_t rounded(std::int64_t lateness_ns, int kept_bits = kKeptBits) {
  const auto bits =
      static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(lateness_ns, 0))));
  const int dropped = std::max(bits - kept_bits, 0);
  return lateness_ns >> dropped << dropped;
}

// That gap may be less than what the latenesses are rounded by, and long beside a call: it is not to be lost.
UnpredictedArrivals rounded(const UnpredictedArrivals& usual) {
  const std::int64_t latest = rounded(toNanoseconds(usual.latest));
  const std::int64_t gap = toNanoseconds(usual.latest - usual.before);
  const bool is_small = kSmallGap * gap < latest;
  const std::int64_t before = is_small ? latest - rounded(gap, kKeptBitsOfGap) : rounded(toNanoseconds(usual.before));
  return {fromNanoseconds(latest), fromNanoseconds(before), fromNanoseconds(rounded(toNanoseconds(usual.others)))};
}

CandidateQuery rounded(CandidateQuery query) {
  for (std::int64_t& one : query.lateness_ns) one = rounded(one);
  query.unpredicted = rounded(query.unpredicted);
  return query;
}

// Two questions of one process differ in what is mixed here.
std::uint64_t hashOf(const CandidateQuery& query) {
  std::uint64_t hash =
      mixHash(static_cast<std::uint64_t>(query.shape.ranks), static_cast<std::uint64_t>(query.shape.count));
  const auto mix = [&hash](auto value) { hash = mixHash(hash, static_cast<std::uint64_t>(value)); };
  mix(query.element_size.value);
  mix(query.shape.commutative);
  mix(query.reproducible);
  mix(query.arrivals_are_known);
  mix(query.model.ports);
  mix(query.model.shared);
  for (const double cost :
       {query.model.alpha.value, query.model.beta, query.model.gamma, query.model.overhead.value,
        query.model.release.value, query.model.inner_alpha.value, query.model.inner_beta, query.model.node_alpha.value,
        query.model.node_beta, query.model.read_alpha.value, query.model.read_beta}) {
    mix(std::bit_cast<std::uint64_t>(cost));
  }
  for (const Seconds one : {query.unpredicted.latest, query.unpredicted.before, query.unpredicted.others}) {
    mix(toNanoseconds(one));
  }
  for (const std::int64_t one : query.lateness_ns) mix(one);
  for (const bool one : {query.topology.shares_memory, query.topology.reads_memory, query.topology.gives_cores})
    mix(one);
  for (const std::int32_t node : query.topology.nodes) mix(node);
  for (const std::int32_t link : query.topology.links) mix(link);
  return hash;
}

}  // namespace

std::vector<Candidate> Rankings::rank(const CandidateQuery& query) { return rankCandidates(rounded(query)); }

std::optional<std::vector<Candidate>> Rankings::find(const CandidateQuery& query) {
  const auto found = std::ranges::find(rankings_, hashOf(rounded(query)), &Ranking::question);
  if (found == rankings_.end()) return std::nullopt;
  std::rotate(found, found + 1, rankings_.end());
  return rankings_.back().candidates;
}

void Rankings::insert(const CandidateQuery& query, std::vector<Candidate> candidates) {
  if (rankings_.size() == kMaxRankings) rankings_.erase(rankings_.begin());
  rankings_.push_back({hashOf(rounded(query)), std::move(candidates)});
}

}  // namespace starling
