// Late ranks that are not predicted: flags of those that have arrived name them in the call itself.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "algos/catalogue.h"

namespace starling {

// The parameter of rows that can do so: how many ranks are named, the last to arrive. 0: who is late is predicted.
inline constexpr std::string_view kAnnouncedParameter = "announced";

// Its value, at most one less than there are ranks; 0 where the row has none.
std::int32_t announcedRanks(const Choice& choice, std::int32_t ranks);

// What a plan's table and latenesses become when ranks are named: the named ones stand last, in the order of the table,
// and are later by more than any vector takes; all others are on time.
struct NamedArrangement {
  std::vector<std::int32_t> table;  // virtual rank -> rank; empty = identity
  std::vector<std::int64_t> lateness_ns;

  // `table`: the plan's; empty = identity. `named`: ranks. With `keeps_rank_order` the table is the identity. No
  // allocation when the number of ranks stays.
  void arrange(std::int32_t ranks, std::span<const std::int32_t> table, std::span<const std::int32_t> named,
               bool keeps_rank_order);

 private:
  std::vector<char> is_named_;  // by rank
};

}  // namespace starling
