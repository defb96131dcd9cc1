// Says after which calls of an epoch the ranks go on with what they agree on about the epoch before.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"

namespace starling {

// What an agreement has begun before a call of the communicator, whose messages may disturb that call.
enum class AgreementStep : std::uint8_t {
  kNone,
  kStart,   // what the ranks saw of an epoch is on its way to rank 0
  kDecide,  // rank 0 has decided, and tells the others
};

// A call that takes longer is not disturbed by them, by more than some hundredths.
inline constexpr Seconds kDisturbedCall{5e-4};

// Counted in calls of the running epoch. Messages have some calls to arrive in, so that they are seldom waited for:
// of a short epoch most of it, of a long one no more than they need.
struct AgreementSteps {
  static constexpr std::int32_t kMostCalls = 8;  // for each of the two steps

  std::int32_t decides_after = 1;   // what rank 0 is told is there after so many
  std::int32_t is_known_after = 2;  // and what it has decided after so many
};

constexpr AgreementSteps agreementStepsIn(std::int32_t epoch_length) {
  const std::int32_t telling = std::clamp(epoch_length / 4, 1, AgreementSteps::kMostCalls);
  const std::int32_t decides_after = std::clamp(epoch_length - telling, 1, AgreementSteps::kMostCalls);
  return {decides_after, decides_after + telling};
}

}  // namespace starling
