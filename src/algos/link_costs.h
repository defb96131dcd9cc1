// Says what messages and reductions cost, in whole numbers: ranks that agree on these plan alike.
#pragma once

#include <cstdint>

namespace starling {

struct LinkCosts {
  std::int64_t alpha_ns = 2000;  // of a message
  std::int64_t beta_ps = 8000;   // picoseconds per byte on the wire
  std::int64_t gamma_ps = 0;     // picoseconds per byte reduced
};

// A vector is cut into at most so many parts, so that tags suffice with any MPI library.
inline constexpr std::int64_t kMaxSegments = 4096;
// A segment has at least so many bytes: below that processors take longer to handle messages than wires to carry them.
inline constexpr std::int64_t kShortestSegment = 8192;

// Returns the time of one message. REQUIRES: bytes < 2^31, costs below 10^9.
std::int64_t transferNs(const LinkCosts& costs, std::int64_t bytes);
// Returns the time of one message and of its reduction into what the receiver has.
std::int64_t mergeNs(const LinkCosts& costs, std::int64_t bytes);

// Returns the S for which (S + others) (a + n b / S) is least, within these bounds: `others` messages pass in a row
// beside the S segments of one link.
std::int64_t bestSegments(const LinkCosts& costs, std::int64_t bytes, std::int64_t others);

}  // namespace starling
