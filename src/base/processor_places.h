// Where on a machine its processors are, as far as caches go.
#pragma once

#include <sched.h>

#include <cstdint>
#include <optional>
#include <string>

namespace starling {

// Both are counted as the machine is built, so that places near each other have numbers near each other: first come the
// processors of a package, within it those of a part of the memory, within that those of a cache.
struct ProcessorPlace {
  // Of the processors that share the last cache before memory, the first; of those of the package, where the process
  // may run on more than these.
  std::int32_t domain = 0;
  std::int32_t processor = 0;  // the first one that the process may run on

  auto operator<=>(const ProcessorPlace&) const = default;
};

// Returns the place of a process that may run on the processors of the set, by hwloc, or by the files of Linux where
// Starling was built without it or it cannot look at the machine; nothing where these are not of one package, or where
// the system does not tell. The first call takes some milliseconds: the machine is looked at once, and what is found
// stays. With `synthetic` it is the machine that this describes, as hwloc does, each time anew; without hwloc nothing.
// THREADS: any.
std::optional<ProcessorPlace> placeOf(const cpu_set_t& processors, const std::string& synthetic = "");

}  // namespace starling
