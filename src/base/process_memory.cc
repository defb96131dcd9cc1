#include "base/process_memory.h"

#include <sys/uio.h>

namespace starling {

// Less than what was asked for is read where a page cannot be, and at 2 GiB.
bool readProcessMemory(pid_t process, const void* from, void* to, std::size_t bytes) noexcept {
  while (bytes > 0) {
    const iovec local{to, bytes};
    const iovec remote{const_cast<void*>(from), bytes};
    const ssize_t read = process_vm_readv(process, &local, 1, &remote, 1, 0);
    if (read <= 0) return false;
    from = static_cast<const std::byte*>(from) + read;
    to = static_cast<std::byte*>(to) + read;
    bytes -= static_cast<std::size_t>(read);
  }
  return true;
}

}  // namespace starling
