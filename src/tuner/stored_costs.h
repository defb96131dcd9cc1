// What a key has learned of algorithms, as a policy keeps it for later runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/records.h"
#include "tuner/cost_priors.h"

namespace starling {

// Returns the text for PolicyRecord::costs. THREADS: any.
std::string storedCosts(std::span<const CostResidual> residuals);

// Returns what the policy's text says of algorithms that are known here; nothing where it cannot be read, which the
// database's reader tells. THREADS: any.
std::vector<CostResidual> residualsOf(const PolicyRecord& policy);

}  // namespace starling
