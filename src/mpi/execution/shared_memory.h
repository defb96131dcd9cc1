// Memory that all ranks of a communicator have mapped.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/memory_file.h"

namespace starling {

// It has no name anywhere: rank 0 makes it (memfd_create), the others open it by the descriptor of that process, and it
// is gone with the last process that has it mapped, however that ends. It does not count against the size of /dev/shm.
// THREADS: any; it is plain memory.
class SharedMemory {
 public:
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_), token_(other.token_) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(token_, other.token_);
    return *this;
  }

  // Maps `bytes` of zeros on all ranks. Returns nothing on all where one of them cannot, because it is in the process
  // of rank 0, of another machine, user or process namespace, or short of memory, or where `may_share` is false on one
  // of them. Collective; waits for all ranks.
  static std::optional<SharedMemory> map(MPI_Comm communicator, std::size_t bytes, bool may_share);

  std::byte* data() const { return data_; }
  // Returns a random number that the ranks share, too; never 0.
  std::int64_t token() const { return token_; }

 private:
  static std::optional<SharedMemory> mapped(const Descriptor& descriptor, std::size_t bytes);
  SharedMemory(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}

  std::byte* data_;
  std::size_t bytes_;  // mapped
  std::int64_t token_ = 0;
};

}  // namespace starling
