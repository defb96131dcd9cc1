#include "base/processor_cache.h"

#include "base/system_files.h"

namespace starling {

std::optional<ProcessorCache> lastCache(const std::string& folder) {
  std::optional<ProcessorCache> last;
  std::int64_t highest = 0;
  for (const CacheFiles& cache : cachesIn(folder)) {
    if (cache.level < highest || cache.bytes <= 0 || cache.processors.empty()) continue;
    highest = cache.level;
    last = {cache.bytes, static_cast<int>(cache.processors.size())};
  }
  return last;
}

}  // namespace starling
