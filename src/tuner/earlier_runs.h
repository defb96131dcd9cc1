// What earlier runs have learned, as if other communicators of this run had.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "store/records.h"
#include "tuner/latest_keys.h"
#include "tuner/signature.h"
#include "tuner/tuner_settings.h"

namespace starling {

// No choice is taken to be so many times as fast as native, or more, before this run has measured it.
inline constexpr double kMostLearnedGain = 3.0;

// A policy of the tuning database, with what it says of signatures as codes.
struct EarlierPolicy {
  const PolicyRecord* record = nullptr;
  KeyOrigin origin;
  Signature longest;  // of the key
};

// Returns whether the policy's table and latenesses are for so many ranks; all ranks would reject a plan in which they
// are not. THREADS: any.
bool fitsRanks(const PolicyRecord& policy, std::int32_t ranks);

// Returns whether the policy's choice is known to be so much faster than native that it need not wait until native was
// called. THREADS: any.
bool promisesGain(const PolicyRecord& policy);

// Returns the policies of as many ranks that tell what to run before this run has measured anything, one for each size
// class, type and operation: they promise a gain, in the time that is compared here. Where keys of one kind have
// several choices, or tables, none is returned, since which site will call is not known. The greatest gain comes last.
// REQUIRES: the records outlive what is returned. THREADS: any.
std::vector<EarlierPolicy> foretellingPolicies(std::span<const EarlierPolicy> policies, const TunerSettings& settings,
                                               std::int32_t ranks);

// Returns what calls of the policy's kind run. How long native takes in this run is not known yet: a call is slow by
// CallLimit when it takes four times what the cost model predicts for the row with its default parameters, times the
// gain: the model may be wrong by two. Empty: the row may not run here, or cannot be predicted. Simulates one call.
// THREADS: any.
std::optional<LatestKeys::Arranged> choiceOfEarlierRun(const EarlierPolicy& policy, const TunerSettings& settings,
                                                       std::int32_t ranks);

}  // namespace starling
