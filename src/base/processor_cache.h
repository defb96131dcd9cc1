// The cache that processors share, and copies that leave it alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace starling {

struct ProcessorCache {
  std::int64_t bytes = 0;
  int processors = 0;  // that share it

  bool operator==(const ProcessorCache&) const = default;
};

// Returns the last cache before memory, as the system tells of its first processor in `folder`; nothing where it does
// not tell. THREADS: any.
std::optional<ProcessorCache> lastCache(const std::string& folder = "/sys/devices/system/cpu/cpu0/cache");

// Copies bytes that are not read again soon: on x86-64 they go past the caches, so that the lines that they fill are
// not fetched first. What follows the call sees them, in any thread that it lets see anything. THREADS: any.
void copyPastCaches(const std::byte* from, std::byte* to, std::size_t bytes);

}  // namespace starling
