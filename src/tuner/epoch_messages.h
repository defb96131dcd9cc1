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

// Returns how many calls of an epoch are summarised at most, never more than kMaxSamples, and how many bytes the
// message of decisions has.
inline constexpr int kMaxSamples = 32;
int samplesPerEpoch(int ranks);
// An epoch of so many calls, of which at most `most` are summarised.
struct SampledEpoch {
  std::int64_t number = 0;
  std::int32_t calls = 0;
  std::int32_t most = 0;
};
// Returns whether the call with this place in the epoch is to be summarised, where so many have been. All are while
// there are few; else those that try something, as far as half of the room goes, and one in each of `most` equal
// stretches, at a place that changes from stretch to stretch, so that a program with a rhythm is not always sampled at
// the same beat.
bool isSampled(const SampledEpoch& epoch, std::int32_t call, std::int32_t summarised, bool is_trial);
std::size_t decisionBytes(int ranks);

// One agreement carries at most so many updates of plans, if they fit.
inline constexpr std::size_t kMaxUpdates = 32;

}  // namespace starling
