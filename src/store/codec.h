// Turns records into bytes and back, for the way from one rank to another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "store/records.h"

namespace starling {

// All throw std::bad_alloc where memory is short.
std::vector<std::uint8_t> encodeBatch(const Batch& batch);
Result<Batch> decodeBatch(std::span<const std::uint8_t> bytes);

std::vector<std::uint8_t> encodePolicies(const std::vector<PolicyRecord>& policies);
Result<std::vector<PolicyRecord>> decodePolicies(std::span<const std::uint8_t> bytes);

}  // namespace starling
