// Memory without a name, which a process makes and others open.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "base/descriptor.h"

namespace starling {

// Returns memory of so many bytes, all 0, which is gone when nobody has it open or mapped. It is not open where the
// system, or a limit of files' sizes, does not allow it. THREADS: any.
Descriptor makeMemoryFile(std::size_t bytes);

// Opens what another process of the same user has made, by the number of its descriptor there. The result is not open
// where there is no file of that size, or this process may not open it. THREADS: any.
Descriptor openMemoryFile(pid_t process, int descriptor, std::size_t bytes);

}  // namespace starling
