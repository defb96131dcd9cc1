// The files of the algorithms share what is here. Each such file holds one algorithm whole: its builder, its parameters
// and, in the only name that it exports, its row of the catalogue.
//
// A builder makes one rank's schedule over virtual ranks, for any number of ranks above one and any count above zero;
// parameters come in the order of the row.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "algos/catalogue.h"
#include "algos/flagged.h"

namespace starling {

#define STARLING_ALGORITHM(file, row) extern const Algorithm row;
#include "algos/catalogue_rows.inc"
#undef STARLING_ALGORITHM

// Reduction and distribution travel in lanes of their own, so that what is complete goes out while the rest is reduced.
inline constexpr std::uint8_t kDistributeLane = 1;

// Every row that has messages in flight has these two, some with values of their own; buildSchedule() finds them by
// name.
inline constexpr Parameter kWindow{"window", 1, 64, 4, "", "receives posted ahead, per lane"};
inline constexpr Parameter kPacing{"pacing", 1,  64,
                                   1,        "", "sends in flight, per lane; several to one peer share its link"};
inline constexpr Parameter kFlowParameters[] = {kWindow, kPacing};

// This is the parameter kFlaggedParameter of flagged.h.
inline constexpr Parameter kFlagged{
    "flagged", 0,          kMostFlagged,
    0,         "",         "so many late ranks are named by flags in each call; 0 = they are predicted",
    {},        "announced"};

inline constexpr Parameter kTreeSegments{"segments", 1,  1024,
                                         1,          "", "parts of the vector that follow each other through the tree"};

// Returns in how many rounds one rank can reach all, when everybody that has been reached helps.
inline std::int32_t ceilLog2(std::int32_t ranks) { return std::bit_width(static_cast<std::uint32_t>(ranks - 1)); }

// Most rows have this Algorithm::valid_text.
inline constexpr const char* kAnyShape = "any ranks, any count";

// This is Algorithm::chains_ranks, or keeps_in_step, of a row that does so whatever its parameters.
inline bool always(const ParameterValues&) { return true; }

// Returns the S for which (S + others) (a + n b / S) is least, with `others` other messages in a row; `transfers` is n
// b / a.
inline double leastCostSegments(double others, double transfers) {
  return std::sqrt(std::max(others, 0.0) * transfers);
}

}  // namespace starling
