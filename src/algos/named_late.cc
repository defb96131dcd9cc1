#include "algos/named_late.h"

#include <algorithm>

namespace starling {
namespace {

constexpr std::int64_t kNamedLateness = 1'000'000'000'000'000;  // ns: eleven days

}  // namespace

std::int32_t announcedRanks(const Choice& choice, std::int32_t ranks) {
  const std::optional<std::size_t> index = findParameter(*findAlgorithm(choice.algorithm), kAnnouncedParameter);
  if (!index) return 0;
  return static_cast<std::int32_t>(std::min<std::int64_t>(choice.parameters[*index], ranks - 1));
}

void NamedArrangement::arrange(std::int32_t ranks, std::span<const std::int32_t> plan_table,
                               std::span<const std::int32_t> named, bool keeps_rank_order) {
  is_named_.assign(ranks, 0);
  for (const std::int32_t rank : named) is_named_[rank] = 1;
  table.clear();
  lateness_ns.clear();
  if (keeps_rank_order) {
    for (const char is_named : is_named_) lateness_ns.push_back(is_named != 0 ? kNamedLateness : 0);
    return;
  }
  for (const bool wants_named : {false, true}) {
    for (std::int32_t i = 0; i < ranks; ++i) {
      const std::int32_t rank = plan_table.empty() ? i : plan_table[i];
      if ((is_named_[rank] != 0) != wants_named) continue;
      table.push_back(rank);
      lateness_ns.push_back(wants_named ? kNamedLateness : 0);
    }
  }
}

}  // namespace starling
