#include "base/address_space.h"

#include <sys/mman.h>

#include <limits>
#include <new>

namespace starling {
namespace {

// What is left whatever is taken: buffers and messages of the MPI library.
constexpr std::size_t kLeft = std::size_t{4} << 20;

}  // namespace

bool hasAddressSpace(std::size_t bytes) noexcept {
  if (bytes == 0) return true;
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped != MAP_FAILED && ::munmap(mapped, bytes) == 0;
}

bool leavesAddressSpace(std::size_t bytes) noexcept {
  // The MPI library's own reductions take two vectors at most.
  constexpr std::size_t kVectors = 2;
  if (bytes > std::numeric_limits<std::size_t>::max() / 2 / (kVectors + 1)) return false;
  return hasAddressSpace((kVectors + 1) * bytes + kLeft);
}

bool hasHeap(std::size_t bytes) noexcept {
  // Compilers may leave out a new expression whose memory is not used, but not this call.
  void* const memory = ::operator new(bytes, std::nothrow);
  ::operator delete(memory);
  return memory != nullptr;
}

}  // namespace starling
