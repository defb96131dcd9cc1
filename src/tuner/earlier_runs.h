// What earlier runs have learned, as if other communicators of this run had.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "store/records.h"
#include "tuner/key_tuner.h"
#include "tuner/latest_keys.h"
#include "tuner/signature.h"

namespace starling {

// A policy of the tuning database, with what it says of signatures as codes.
struct EarlierPolicy {
  const PolicyRecord* record = nullptr;
  KeyOrigin origin;
  Signature longest;  // of the key
};

// Returns whether the policy's table and latenesses are for so many ranks; all ranks would reject a plan in which they
// are not. THREADS: any.
bool fitsRanks(const PolicyRecord& policy, std::int32_t ranks);

// Returns the choices of keys on so many ranks that are not native and of which a gain is known, in the time that is
// compared here. Where keys of one size class, type and operation have several choices, which site will call is not
// known, and none is returned. What native takes in this run is not known either: a call may take twice what the cost
// model predicts, times the gain, before it counts as slow by CallLimit. REQUIRES: the records outlive the call.
// THREADS: any.
std::vector<LatestKeys::Known> choicesOfEarlierRuns(std::span<const EarlierPolicy> policies,
                                                    const TunerSettings& settings, std::int32_t ranks);

}  // namespace starling
