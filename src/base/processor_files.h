// Which processors share caches and memory, as the files of Linux tell, where hwloc does not.
#pragma once

#include <sched.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/processor_places.h"

namespace starling {

// THREADS: any.
class ProcessorFiles {
 public:
  // Reads what a folder like /sys/devices/system has; what is not told there is not known.
  static ProcessorFiles read(const std::string& folder);

  // Returns the place of a process that may run on the processors of the set (placeOf() in processor_places.h).
  std::optional<ProcessorPlace> placeOf(const cpu_set_t& processors) const;

 private:
  // Of a cache, of a part of the memory or of a package.
  struct Group {
    std::vector<std::int32_t> processors;  // by the system's numbers, rising
    bool is_cache = false;

    bool operator==(const Group&) const = default;
  };

  void add(Group group);
  // Counts processors such that those of each group follow each other.
  void count();
  const Group* domainOf(const std::vector<std::int32_t>& processors) const;
  // Returns the least place of processors that the machine has.
  std::int32_t firstPlaceOf(const std::vector<std::int32_t>& processors) const;

  std::vector<Group> groups_;                        // the largest first
  std::vector<std::optional<std::int32_t>> places_;  // by the system's number; nothing: there is no such processor
};

}  // namespace starling
