// Reads what another process has in its memory.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace starling {

// Copies `bytes` from address `from` of the process, which may be this one, to `to`. Returns false where the system
// does not allow it (another user, Yama's ptrace_scope, a container's seccomp), or not all of it is memory that can be
// read: part of `to` may have been written then. THREADS: any.
bool readProcessMemory(pid_t process, const void* from, void* to, std::size_t bytes) noexcept;

// Returns whether that would be so, by a byte of each page. THREADS: any.
bool isProcessMemoryReadable(pid_t process, const void* from, std::size_t bytes) noexcept;

}  // namespace starling
