// What the files of Linux tell of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

// Returns the first line of a file; nothing where there is none. THREADS: any.
std::string firstLineOf(const std::string& path);

// Returns what is in a list such as "0-7,64-71", in its order; nothing where it is no such list, or names more than
// there can be. THREADS: any.
std::vector<std::int32_t> numbersIn(std::string_view list);

struct CacheFiles {
  std::int64_t level = 0;
  std::int64_t bytes = 0;                // 0: is not told
  std::vector<std::int32_t> processors;  // that share it; empty: is not told
};

// Returns the caches of a processor that hold data, as a folder like /sys/devices/system/cpu/cpu0/cache tells.
// THREADS: any.
std::vector<CacheFiles> cachesIn(const std::string& folder);

}  // namespace starling
