// How much the ranks tell each other at the end of an epoch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace starling {

// What an agreement takes is bounded for a rank: of up to 16,384 ranks each sends and receives at most so many bytes in
// an epoch, where the MPI library reduces and broadcasts along binomial trees, in which no rank has more than log2 P
// partners.
inline constexpr int kBytesPerEpoch = 4096;

// So many bytes of them are compared between all ranks.
inline constexpr int kComparedBytes = 24;

// Returns how many calls of an epoch are summarised at most, and how many bytes the message of decisions has.
int samplesPerEpoch(int ranks);
std::size_t decisionBytes(int ranks);

}  // namespace starling
