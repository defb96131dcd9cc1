#include "base/process_memory.h"

#include <sys/uio.h>

#include <array>
#include <cstdint>

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

bool isProcessMemoryReadable(pid_t process, const void* from, std::size_t bytes) noexcept {
  constexpr std::size_t kPage = 4096;  // or more: then it is looked at several times
  constexpr std::size_t kPagesAtOnce = 64;
  const std::byte* next = static_cast<const std::byte*>(from);
  const std::byte* const end = next + bytes;
  while (next < end) {
    std::array<iovec, kPagesAtOnce> remote{};
    std::size_t pages = 0;
    for (; next < end && pages < kPagesAtOnce; ++pages) {
      remote[pages] = {const_cast<std::byte*>(next), 1};
      next += kPage - reinterpret_cast<std::uintptr_t>(next) % kPage;
    }
    std::array<std::byte, kPagesAtOnce> found{};
    const iovec local{found.data(), pages};
    if (process_vm_readv(process, &local, 1, remote.data(), pages, 0) != static_cast<ssize_t>(pages)) return false;
  }
  return true;
}

}  // namespace starling
