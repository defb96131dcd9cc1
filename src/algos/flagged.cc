#include "algos/flagged.h"

#include <algorithm>

namespace starling {
namespace {

constexpr std::int64_t kFlaggedLateness = 1'000'000'000'000'000;  // ns: eleven days

}  // namespace

std::int32_t flaggedRanks(const Choice& choice, std::int32_t ranks) {
  const std::optional<std::size_t> index = findParameter(*findAlgorithm(choice.algorithm), kFlaggedParameter);
  if (!index) return 0;
  return static_cast<std::int32_t>(std::min<std::int64_t>(choice.parameters[*index], ranks - 1));
}

RowForm formOf(const Choice& choice) {
  const std::optional<std::size_t> index = findParameter(*findAlgorithm(choice.algorithm), kFlaggedParameter);
  return {choice.algorithm, index && choice.parameters[*index] > 0};
}

std::optional<Choice> otherForm(const Choice& choice) {
  const std::optional<std::size_t> index = findParameter(*findAlgorithm(choice.algorithm), kFlaggedParameter);
  if (!index) return std::nullopt;
  Choice other = choice;
  other.parameters[*index] = choice.parameters[*index] > 0 ? 0 : 1;
  return other;
}

void FlaggedArrangement::reserve(std::int32_t ranks) {
  const auto size = static_cast<std::size_t>(ranks);
  table.reserve(size);
  lateness_ns.reserve(size);
  is_flagged_.reserve(size);
}

void FlaggedArrangement::arrange(std::int32_t ranks, std::span<const std::int32_t> plan_table,
                                 std::span<const std::int32_t> flagged, bool keeps_rank_order) {
  is_flagged_.assign(ranks, 0);
  for (const std::int32_t rank : flagged) is_flagged_[rank] = 1;
  table.clear();
  lateness_ns.clear();
  if (keeps_rank_order) {
    for (const char is_flagged : is_flagged_) lateness_ns.push_back(is_flagged != 0 ? kFlaggedLateness : 0);
    return;
  }
  for (const bool wants_flagged : {false, true}) {
    for (std::int32_t i = 0; i < ranks; ++i) {
      const std::int32_t rank = plan_table.empty() ? i : plan_table[i];
      if ((is_flagged_[rank] != 0) != wants_flagged) continue;
      table.push_back(rank);
      lateness_ns.push_back(wants_flagged ? kFlaggedLateness : 0);
    }
  }
}

}  // namespace starling
