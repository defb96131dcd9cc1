#include "tuner/epoch_messages.h"

#include <algorithm>
#include <bit>

#include "tuner/call_summary.h"
#include "tuner/plan.h"

namespace starling {
namespace {

constexpr int kMaxSamples = 32;
constexpr int kMaxDecisionBytes = 2048;

// Returns with how many partners a rank exchanges a message in a binomial tree, at most.
int partnersOf(int ranks) { return std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)))); }

// Returns how many bytes a rank may send a partner beside what is compared.
int bytesForPartner(int ranks) { return kBytesPerEpoch / partnersOf(ranks) - kComparedBytes; }

}  // namespace

int samplesPerEpoch(int ranks) {
  return std::clamp(bytesForPartner(ranks) / static_cast<int>(sizeof(CallSummary)), 1, kMaxSamples);
}

std::size_t decisionBytes(int ranks) {
  constexpr int kLeast = static_cast<int>(kLeastDecisionBytes);
  return static_cast<std::size_t>(std::clamp(bytesForPartner(ranks), kLeast, kMaxDecisionBytes));
}

}  // namespace starling
