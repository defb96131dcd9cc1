// Names the hosts of all ranks in few characters.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace starling {

// Returns "a:8,b:8" where the first 8 ranks run on host a and the next 8 on b.
std::string foldHosts(std::span<const std::string> by_rank);

// Returns the host of a rank; "" where `folded` does not tell, because it is damaged or has fewer ranks.
std::string_view hostOf(std::string_view folded, std::int64_t rank);

}  // namespace starling
