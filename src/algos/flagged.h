// Handles late ranks that are not predicted: flags of those that have arrived name them in the call itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "algos/catalogue.h"

namespace starling {

// Rows that can do so have this parameter: how many ranks are named, the last to arrive. 0: who is late is predicted.
inline constexpr std::string_view kFlaggedParameter = "flagged";

// So many ranks can be named at most.
inline constexpr std::int32_t kMostFlagged = 64;

// Returns the parameter's value, at most one less than there are ranks; 0 where the row has none.
std::int32_t flaggedRanks(const Choice& choice, std::int32_t ranks);

// A row as it may be called: with the late ranks that are predicted, or with those that flags name.
struct RowForm {
  std::int32_t algorithm = kNativeAlgorithm;
  bool is_flagged = false;

  bool operator==(const RowForm&) const = default;
};

RowForm formOf(const Choice& choice);
// Returns the choice in the other form of its row, with one rank named where that is the flagged one; empty: there is
// none.
std::optional<Choice> otherForm(const Choice& choice);

// Holds what a plan's table and latenesses become when ranks are flagged: these stand last, in the order of the table,
// and are later by more than any vector takes; all others are on time.
struct FlaggedArrangement {
  std::vector<std::int32_t> table;  // virtual rank -> rank; empty = identity
  std::vector<std::int64_t> lateness_ns;

  // Takes the memory for so many ranks: arrange() takes none for them.
  void reserve(std::int32_t ranks);
  // `table` is the plan's (empty = identity), and `flagged` lists ranks. With `keeps_rank_order` the table is the
  // identity.
  void arrange(std::int32_t ranks, std::span<const std::int32_t> table, std::span<const std::int32_t> flagged,
               bool keeps_rank_order);

 private:
  std::vector<char> is_flagged_;  // by rank
};

}  // namespace starling
