#include "tuner/epoch_messages.h"

#include <algorithm>
#include <bit>

#include "tuner/call_summary.h"
#include "tuner/plan.h"
#include "tuner/signature.h"

namespace starling {
namespace {

constexpr int kMaxDecisionBytes = 2048;

// Returns with how many partners a rank exchanges a message in a binomial tree, at most.
int partnersOf(int ranks) { return std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)))); }

// Returns how many bytes a rank may send a partner beside what is compared.
int bytesForPartner(int ranks) { return kBytesPerEpoch / partnersOf(ranks) - kComparedBytes; }

}  // namespace

int samplesPerEpoch(int ranks) {
  return std::clamp(bytesForPartner(ranks) / static_cast<int>(sizeof(CallSummary)), 1, kMaxSamples);
}

bool isSampled(const SampledEpoch& epoch, std::int32_t call, std::int32_t summarised, bool is_trial) {
  if (summarised >= epoch.most) return false;
  if (epoch.calls <= epoch.most || (is_trial && 2 * summarised < epoch.most)) return true;
  const std::int32_t stretch = epoch.calls / epoch.most;
  const std::int32_t number = call / stretch;
  if (number >= epoch.most) return false;
  const std::uint64_t hash = mixHash(static_cast<std::uint64_t>(epoch.number), static_cast<std::uint64_t>(number));
  return call % stretch == static_cast<std::int32_t>(hash % static_cast<std::uint64_t>(stretch));
}

std::size_t decisionBytes(int ranks) {
  constexpr int kLeast = static_cast<int>(kLeastDecisionBytes);
  return static_cast<std::size_t>(std::clamp(bytesForPartner(ranks), kLeast, kMaxDecisionBytes));
}

}  // namespace starling
