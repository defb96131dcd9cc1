// Records as bytes, for the way from one rank to another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "store/records.h"

namespace starling {

std::vector<std::uint8_t> encodeBatch(const Batch& batch);
Result<Batch> decodeBatch(std::span<const std::uint8_t> bytes);

std::vector<std::uint8_t> encodePolicies(const std::vector<PolicyRecord>& policies);
Result<std::vector<PolicyRecord>> decodePolicies(std::span<const std::uint8_t> bytes);

}  // namespace starling
