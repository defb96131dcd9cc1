// The cache that processors share.
#pragma once

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

}  // namespace starling
