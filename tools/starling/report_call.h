// Draws one call of a key: under the plan in force, and beside it as native may do it.
#pragma once

#include <cstdint>

#include "json_text.h"
#include "recording.h"

namespace starling::cli {

// Rows of more ranks could not be told apart.
inline constexpr std::int32_t kDrawnRanks = 48;
inline constexpr std::size_t kDrawnWidth = 180;  // characters

// Simulates a call whose ranks come as they did on average, with the costs that were probed. Of native no schedule is
// known: an algorithm that the MPI library has stands for it, the one that is simulated to take most nearly what native
// was measured to take. Where native is in force, the fastest other row that was measured stands beside it. Returns
// {"why_not": sentence} where nothing can be drawn, else {"end": seconds, "drawings": [{"title", "rows": [{"rank",
// "line"}]}], "note"}; lines are those of `starling simulate --timeline`.
Json drawnCall(const Evidence& evidence);

}  // namespace starling::cli
